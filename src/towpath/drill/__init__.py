"""`towpath drill`: kills and stops workers of a private instance, then compares it with an undisturbed one."""
