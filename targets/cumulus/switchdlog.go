package cumulus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/target"
)

// switchdLog is the log in which switchd reports settings that it refuses.
const switchdLog = "/var/log/switchd.log"

// refusals are the lines that switchd logs when it refuses a setting of traffic.conf or datapath.conf: the level, and an extended regular
// expression of the text. Other lines are no failures, such as the WARNING about an unlimited egress buffer, which PFC causes. Source:
// switchd Log Message Reference 4.1.
var refusals = []struct{ level, text string }{
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

// harmless matches the levels below WARNING.
const harmless = "(^|[^A-Za-z])(INFO|NOTICE|DEBUG)([^A-Za-z]|$)"

// clamps matches the line that switchd logs when it replaces an ECN threshold that the chip does not support. The source is the same.
const clamps = "(min|max)_threshold_bytes .*(less than minimum|greater than maximum)"

// noteLog stores the log file's inode and size, so that only later lines count. It keeps the first stored values for a step that goes
// back: those from before the change.
const noteLog = "{ stat -c '%i %s' " + switchdLog + " 2>/dev/null || echo 0 0; } >\"$ROCEC_STEP/log\"\n" +
	"[ -e \"$ROCEC_STEP/first\" ] || cp \"$ROCEC_STEP/log\" \"$ROCEC_STEP/first\"\n"

// logged searches the lines that switchd has logged since the step began, in the present log file and, after a rotation, in the former
// one. A line with a level below WARNING is never a complaint. The number of bytes that are read and printed is limited, since a log may
// grow by gigabytes.
//
// The former content may have caused complaints earlier. So when a step goes back, lines that were in the log before the change are no
// failure.
var logged = `since() {
	read -r file from <"$ROCEC_STEP/log"
	now=$(stat -c '%i %s' ` + switchdLog + ` 2>/dev/null || echo 0 0)
	if [ "${now%% *}" != "$file" ] || [ "${now#* }" -lt "$from" ]; then
		tail -c +$((from + 1)) ` + switchdLog + `.1 2>/dev/null
		from=0
	fi
	tail -c +$((from + 1)) ` + switchdLog + ` 2>/dev/null
}
new() { since | head -c 16777216; }
complaints() { grep -vE '` + harmless + `' | grep -E '` + pattern() + `' | head -n 20; }
said=$(new | complaints)
if [ -n "$said" ] && [ -n "${ROCEC_WHY:-}" ]; then
	old=
	read -r file from <"$ROCEC_STEP/first"
	if [ "$(stat -c %i ` + switchdLog + ` 2>/dev/null)" = "$file" ]; then
		old=$(head -c "$from" ` + switchdLog + ` | tail -c 16777216 | complaints)
	fi
	said=$(printf '%s\n' "$said" | while read -r line; do
		text=$(printf '%s\n' "$line" | grep -oE '` + pattern() + `' | head -n 1)
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
more='` + target.Adjusted + `'
while read -r line; do
	how=$how$more$line more=', '
done <"$ROCEC_STEP/adjusted"
printf '%s\n' "$how"
`

// mostLog is the size in bytes up to which the probe reads a log.
const mostLog = 64 << 20

// refusalProbe asks for the last line of the log about a setting that switchd refused. A change searches the log right after its
// activation ([logged]); this probe finds later lines, at the end of the soak. The inode identifies a log file, so that a rotation does
// not look like a new complaint.
func refusalProbe(device string) target.Probe {
	return target.Probe{
		Name: "switchd log",
		Query: target.Query{Cmd: "for f in " + switchdLog + " " + switchdLog + `.1; do
at=$(stat -c '%i %s' "$f" 2>/dev/null) || continue
[ -r "$f" ] && [ "${at#* }" -le ` + strconv.Itoa(mostLog) + ` ] || continue
printf '%s %s\n' "${at% *}" "$(grep -nE '` + pattern() + `' "$f" | grep -vE '` + harmless + `' | tail -n 1 | head -c 500)"
done
true`},
		Samples: func(answer []byte) []target.Sample {
			var out []target.Sample
			for line := range strings.Lines(string(answer)) {
				inode, last, _ := strings.Cut(strings.TrimSpace(line), " ")
				if _, err := strconv.ParseUint(inode, 10, 64); err != nil {
					continue
				}
				number, text, _ := strings.Cut(last, ":")
				n, err := strconv.ParseUint(number, 10, 64)
				if err != nil && last != "" {
					continue
				}
				out = append(out, target.Sample{
					Name: "last refusal in file " + inode + " of switchd", Value: n, Unit: target.UnitEvents, Counter: true, Hard: true,
					Says: func(uint64) string {
						return fmt.Sprintf("switchd on %s refused a setting later: %s (%s).", device, target.Escape(text), switchdLog)
					},
				})
			}
			return out
		},
	}
}

// pattern returns one expression for all refusals.
func pattern() string {
	texts := make([]string, len(refusals))
	for i, r := range refusals {
		texts[i] = r.text
	}
	return strings.Join(texts, "|")
}
