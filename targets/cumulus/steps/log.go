package steps

import (
	"strings"

	"github.com/rocec/rocec/targets/commands"
)

// Log is the log file in which switchd reports settings that it refuses.
const Log = "/var/log/switchd.log"

// Refused are the lines that switchd logs when it refuses a setting of traffic.conf or datapath.conf: the level, and an extended regular
// expression of the text. Other lines are no failures, such as the WARNING about an unlimited egress buffer, which PFC causes. Source:
// switchd Log Message Reference 4.1.
var Refused = []struct{ Level, Text string }{
	{"CRITICAL", "_range_limits_get:"},
	{"CRITICAL", "_port_group_range_translate:"},
	{"CRITICAL", "_port_group_ports_set:"},
	{"CRITICAL", "hal_sh_datapath_file_read:"},
	{"ERROR", "could not load traffic config file"},
	{"ERROR", "headroom count .* exceeds the maximum value"},
	{"ERROR", "datapath init failed"},
	{"ERROR", "exceeds max port group count"},
	{"ERROR", "cos list length .* is longer than"},
	{"ERROR", "_priority_field_list_get:"},
	{"ERROR", "_priority_map_get:"},
	{"WARNING", "_port_attribute_mark:"},
	{"WARNING", "sx_api_port_pfc_enable_set"},
	{"WARNING", "_priority_flow_control_config:"},
	{"WARNING", "_port_pause_config"},
	{"WARNING", "_config_port_packet_buffers"},
	{"WARNING", "hal_sh_datapath_packet_buffer_set"},
	{"WARNING", "sx_api_cos_redecn_"},
	{"WARNING", "_ecn_red_config"},
	{"WARNING", "No priority group ID found for lossless traffic"},
	{"WARNING", "buffer pool .* size 0 is invalid"},
	{"WARNING", "_port_group_set_get:"},
	{"WARNING", "_switch_priority_config_values_get:"},
}

// Harmless matches the levels below WARNING.
const Harmless = "(^|[^A-Za-z])(INFO|NOTICE|DEBUG)([^A-Za-z]|$)"

// clamps matches the line that switchd logs when it replaces an ECN threshold that the chip does not support. The source is the same.
const clamps = "(min|max)_threshold_bytes .*(less than minimum|greater than maximum)"

// noteLog stores the log file's inode and size, so that only later lines count. It keeps the first stored values for a step that goes
// back: those from before the change.
const noteLog = "{ stat -c '%i %s' " + Log + " 2>/dev/null || echo 0 0; } >\"$ROCEC_STEP/log\"\n" +
	"[ -e \"$ROCEC_STEP/first\" ] || cp \"$ROCEC_STEP/log\" \"$ROCEC_STEP/first\"\n"

// logged searches the lines that switchd has logged since the step began, in the present log file and, after a rotation, in the former
// one. A line with a level below WARNING is never a complaint. The number of bytes that are read and printed is limited, since a log may
// grow by gigabytes.
//
// The former content may have caused complaints earlier. So when a step goes back, lines that were in the log before the change are no
// failure.
var logged = `since() {
	read -r file from <"$ROCEC_STEP/log"
	now=$(stat -c '%i %s' ` + Log + ` 2>/dev/null || echo 0 0)
	if [ "${now%% *}" != "$file" ] || [ "${now#* }" -lt "$from" ]; then
		tail -c +$((from + 1)) ` + Log + `.1 2>/dev/null
		from=0
	fi
	tail -c +$((from + 1)) ` + Log + ` 2>/dev/null
}
new() { since | head -c 16777216; }
complaints() { grep -vE '` + Harmless + `' | grep -E '` + Refusals() + `' | head -n 20; }
said=$(new | complaints)
if [ -n "$said" ] && [ -n "${ROCEC_WHY:-}" ]; then
	old=
	read -r file from <"$ROCEC_STEP/first"
	if [ "$(stat -c %i ` + Log + ` 2>/dev/null)" = "$file" ]; then
		old=$(head -c "$from" ` + Log + ` | tail -c 16777216 | complaints)
	fi
	said=$(printf '%s\n' "$said" | while read -r line; do
		text=$(printf '%s\n' "$line" | grep -oE '` + Refusals() + `' | head -n 1)
		case $old in
		*"$text"*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done)
fi
if [ -n "$said" ]; then
	printf '%s\n' "$said"
	exit 65
fi
`

// clamped appends the thresholds that switchd has changed to the shell variable how. It finds them in log lines of any level.
const clamped = `new | grep -E '` + clamps + `' | head -n 4 >"$ROCEC_STEP/adjusted"
more='` + commands.Adjusted + `'
while read -r line; do
	how=$how$more$line more=', '
done <"$ROCEC_STEP/adjusted"
printf '%s\n' "$how"
`

// Refusals returns one extended regular expression for the lines in which switchd refuses a setting.
func Refusals() string {
	texts := make([]string, len(Refused))
	for i, r := range Refused {
		texts[i] = r.Text
	}
	return strings.Join(texts, "|")
}
