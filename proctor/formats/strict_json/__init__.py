"""JSON (RFC 8259), strictly read, with the places of its parts."""
