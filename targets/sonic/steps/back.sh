# Says whether the running configuration is still the one of the run, so that it can go back.
unchanged "$ROCEC_WAS"
