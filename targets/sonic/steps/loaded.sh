# Daemons work behind what was told: the rows they make take seconds. goal is the SHA-256 of the wanted configuration. After a minute
# waiting does not help.
if is "$goal"; then
	echo loaded
	exit
fi
now=$(date +%s)
since=$now
if [ -f "$ROCEC_STEP/asked" ]; then read -r since <"$ROCEC_STEP/asked"; else echo "$now" >"$ROCEC_STEP/asked"; fi
echo "the running configuration is not as it should be: sonic-cfggen -d --print-data has other rows of QoS or buffers than were written" >&2
if [ "$((now - since))" -gt 60 ]; then exit 65; fi
exit 1
