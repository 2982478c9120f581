# Brings the running configuration from that of the plan to the wanted one. Stdin: the SHA-256 of either, and the stages.
stages
is "$base" || fail "the running configuration is not the one of the plan: somebody has changed it since. Plan again."
keepsake || exit 1
echo yes >"$ROCEC_STEP/changing" && sync "$ROCEC_STEP/changing" "$ROCEC_STEP" || exit 1
play forth
