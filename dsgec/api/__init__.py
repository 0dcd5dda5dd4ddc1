"""dsgec for programs: data in memory to a run in memory."""
