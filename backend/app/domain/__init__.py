"""What is true: types, rules, ports and events. Pure; no I/O, no clock, no framework."""
