## Predictions in the terminal: `predict`, `why`, `profiles`, `calibrate`, array maps.

predict-still-changing = Not the long run: when the simulation reached its effort limit, { $changing ->
    [write_cache] the amount of data in the devices' write caches
    [fast_area] the amount of data in the devices' fast areas
    [flash_blocks] the occupancy of the flash blocks
    [page_cache] the number of dirty pages
    [bitmap] the number of bits set in the bitmap
   *[throughput] the throughput
  } was still changing.
predict-no-difference = { $percent } %, no difference
