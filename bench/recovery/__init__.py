"""The recovery benchmark: seconds from kill -9 until the job is worked again."""
