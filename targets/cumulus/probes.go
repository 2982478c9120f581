package cumulus

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// chipConfig is the folder that tells the chip's vendor, by its subfolder bcm or mlx (3.2 to 4.3).
const chipConfig = "/usr/lib/python2.7/dist-packages/cumulus/__chip_config"

// identity asks which release and which chip family a switch has. A different release would be spelled differently;
// a different chip would be told to restart or reload wrongly.
func identity(d *ir.Device) []target.Probe {
	return []target.Probe{{
		Name: "release",
		Query: target.Query{Cmd: `for f in /etc/os-release /etc/lsb-release; do
test -r "$f" && cat "$f"
done
for c in bcm mlx; do
test -d ` + chipConfig + `/"$c" && echo "chip $c"
done
true`},
		Judge: func(answer []byte) []string { return judgeRelease(d, string(answer)) },
	}}
}

func judgeRelease(d *ir.Device, answer string) []string {
	want := d.Switch.Version
	facts := map[string]string{}
	var chips []string
	for l := range strings.Lines(answer) {
		l = strings.TrimSpace(l)
		if c, ok := strings.CutPrefix(l, "chip "); ok {
			chips = append(chips, c)
		}
		if k, v, ok := strings.Cut(l, "="); ok {
			facts[k] = strings.Trim(v, `"'`)
		}
	}
	if id := facts["ID"]; id != "" && id != osName {
		return []string{fmt.Sprintf("%s runs %s, not Cumulus Linux.", d.Name, target.Escape(id))}
	}
	var found []string
	told := false
	for _, k := range []string{"VERSION_ID", "DISTRIB_RELEASE"} {
		if v := facts[k]; v != "" {
			told = true
			if !sameRelease(v, want) {
				found = append(found, fmt.Sprintf("%s runs Cumulus Linux %s (%s), but the fabric says %s.", d.Name, target.Escape(v), k, want))
			}
		}
	}
	if !told {
		found = append(found, d.Name+" does not say which release it runs: neither /etc/os-release nor /etc/lsb-release names one.")
	}
	family := map[platform.Vendor]string{platform.Mellanox: "mlx", platform.Broadcom: "bcm"}[d.Switch.Model.ASIC.Vendor]
	if len(chips) == 1 && chips[0] != family {
		found = append(found, fmt.Sprintf("%s has a chip of the family %s, but %s, the model the fabric states, has one of the family %s.",
			d.Name, target.Escape(chips[0]), d.Switch.Model.Title, family))
	}
	return found
}

func sameRelease(a, b string) bool {
	ra, okA := grammar.ParseRelease(a)
	rb, okB := grammar.ParseRelease(b)
	return a == b || okA && okB && ra == rb
}
