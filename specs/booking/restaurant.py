"""A small restaurant in memory, and the tools that an agent books its tables with."""

from __future__ import annotations

from dataclasses import dataclass, field

SEATS = {1: 2, 2: 2, 3: 4, 4: 4, 5: 8}
"""How many guests each table seats."""


@dataclass(frozen=True)
class Booking:
    """A table that is taken."""

    table: int
    date: str
    time: str
    guests: int
    name: str


@dataclass
class Restaurant:
    """The tables and who has booked them. Its public methods are the agent's tools; each answers with a JSON object."""

    bookings: dict[str, Booking] = field(default_factory=dict)
    references: int = 0

    def find_table(self, date: str, time: str, guests: int) -> dict[str, int | None]:
        """Find the smallest free table. Its number is null if there is none.

        Args:
            date: The day, as YYYY-MM-DD.
            time: The time, as HH:MM.
            guests: How many people come.
        """
        fitting = sorted((seats, table) for table, seats in SEATS.items() if seats >= guests)
        return {"table": next((table for _, table in fitting if self._is_free(table, date, time)), None)}

    def create_booking(self, table: int, date: str, time: str, guests: int, name: str) -> dict[str, str]:
        """Book a table that find_table gave.

        Args:
            table: The table's number.
            date: The day, as YYYY-MM-DD.
            time: The time, as HH:MM.
            guests: How many people come.
            name: The guest's name.
        """
        if SEATS.get(table, 0) < guests or not self._is_free(table, date, time):
            return {"error": f"table {table} cannot be had: ask find_table for one"}
        self.references += 1
        reference = f"B{self.references}"
        self.bookings[reference] = Booking(table, date, time, guests, name)
        return {"reference": reference}

    def cancel_booking(self, reference: str) -> dict[str, str]:
        """Cancel a booking.

        Args:
            reference: What create_booking gave, such as B1.
        """
        if reference not in self.bookings:
            return {"error": f"there is no booking {reference}"}
        del self.bookings[reference]
        return {"cancelled": reference}

    def _is_free(self, table: int, date: str, time: str) -> bool:
        return all((each.table, each.date, each.time) != (table, date, time) for each in self.bookings.values())
