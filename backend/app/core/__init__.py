"""What any program needs: settings, errors, clock, ids, logging. Knows no domain word."""
