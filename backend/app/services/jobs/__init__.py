"""The job runner: procrastinate's worker over the jobs that `work.jobs.defer` asks for."""
