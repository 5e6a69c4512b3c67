"""The agent under test: it books tables with real tools, and any model; the scripted one needs no network."""

from __future__ import annotations

from pydantic_ai import Agent

from specs.booking.restaurant import Restaurant
from specs.booking.scripted_model import SCRIPTED, scripted_model

INSTRUCTIONS = """\
You book tables in a restaurant, in short and friendly sentences.
Look for a table with find_table before you book one. Never book without the guest's name: ask for it.
Tell the guest the reference of the booking. To move one, find a new table before you cancel the old one.
A table is kept for 15 minutes; who comes later should call us.
"""


def agent(model: str = SCRIPTED) -> Agent:
    """Build the agent with a restaurant of its own, so that no trial sees another one's bookings."""
    restaurant = Restaurant()
    return Agent(
        scripted_model() if model == SCRIPTED else model,
        instructions=INSTRUCTIONS,
        tools=[restaurant.find_table, restaurant.create_booking, restaurant.cancel_booking],
    )
