## What only the terminal shows.
