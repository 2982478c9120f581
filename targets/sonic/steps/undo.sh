# Goes back. At boot the switch starts with what was saved, and so without what was not. After the change was kept (kept) nobody may have
# changed it since; and should that way fail, the undo of it goes the other way again.
if [ "$ROCEC_WHY" = boot ]; then
	restore
	exit
fi
rm -f "$ROCEC_STEP"/forth.* "$ROCEC_STEP"/back.*
stages
if [ "$ROCEC_WHY" = kept ]; then
	sum=$(sha256sum <"$ROCEC_LIVE/sonic/running")
	unchanged "${sum%% *}"
	keepsake && echo "$way" >"$ROCEC_STEP/kept" && sync "$ROCEC_STEP/kept" "$ROCEC_STEP" || exit 1
	play "$way"
elif [ -f "$ROCEC_STEP/kept" ]; then
	read -r way <"$ROCEC_STEP/kept"
	case $way in back) play forth ;; *) play back ;; esac
elif [ -f "$ROCEC_STEP/changing" ]; then
	play back
else
	exit 0
fi
if [ "$ROCEC_WHY" != kept ]; then restore || fail "$saved could not be put back"; fi
for try in 1 2 3 4 5 6 7; do
	if running >"$ROCEC_STEP/now" && cmp -s "$ROCEC_STEP/now" "$ROCEC_LIVE/sonic/running"; then exit 0; fi
	if [ "$try" != 7 ]; then sleep 5; fi
done
fail "what rocec changed was taken back, and the running configuration is not as before: see show runningconfiguration all"
