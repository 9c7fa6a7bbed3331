"""The drill: a private copy of the program is killed, stopped and cut off, and must end as if nothing happened."""
