package cumulus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// mostLog is the size in bytes up to which the probe reads a log.
const mostLog = 64 << 20

// refusalProbe asks for the last line of the log about a setting that switchd refused. A change searches the log right after its
// activation ([logged]); this probe finds later lines, at the end of the soak. The inode identifies a log file, so that a rotation does
// not look like a new complaint.
func refusalProbe(device string) target.Probe {
	return target.Probe{
		Name: "switchd log",
		Query: target.Query{Cmd: "for f in " + steps.Log + " " + steps.Log + `.1; do
at=$(stat -c '%i %s' "$f" 2>/dev/null) || continue
[ -r "$f" ] && [ "${at#* }" -le ` + strconv.Itoa(mostLog) + ` ] || continue
printf '%s %s\n' "${at% *}" "$(grep -nE '` + steps.Refusals() + `' "$f" | grep -vE '` + steps.Harmless + `' | tail -n 1 | head -c 500)"
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
						return fmt.Sprintf("switchd on %s refused a setting later: %s (%s).", device, target.Escape(text), steps.Log)
					},
				})
			}
			return out
		},
	}
}
