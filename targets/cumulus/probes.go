package cumulus

import (
	"fmt"
	"path"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// identity asks for the release and the chip family of a switch. Another release would need another spelling; another chip would need a
// restart instead of a reload, or the reverse.
func identity(d *ir.Device) []target.Probe {
	all := []target.Probe{Release(d)}
	if isSplit(d.Switch.Version) {
		all = append(all, nvueProbe(d))
	}
	return all
}

// Release asks for the release and the chip family of a switch.
func Release(d *ir.Device) target.Probe {
	return target.Probe{
		Name: target.ReleaseProbe,
		Query: target.Query{Cmd: `for f in /etc/os-release /etc/lsb-release; do
test -r "$f" && cat "$f"
done
for c in bcm mlx; do
test -d ` + steps.ChipConfig + `/"$c" && echo "chip $c"
done
true`},
		Judge: func(answer []byte) []string { return judgeRelease(d, string(answer)) },
	}
}

// The facts that decide how a change is checked and activated, and the text for a missing fact.
const (
	nodeFact    = "reload node"
	checkerFact = "syntax checker"
	nothing     = "none"
)

func hasChecker(r grammar.Release) bool { return r.AtLeast(4, 1) }

// waysProbe asks for the reload node and the checker. Users other than root may be unable to see the node.
func waysProbe(d *ir.Device, r grammar.Release) target.Probe {
	cmd := ""
	if reloads(r, d.Switch.Model.ASIC) {
		cmd = `if test -e ` + steps.ReloadNode + `; then
	echo "` + nodeFact + `: ` + steps.ReloadNode + `"
elif [ "$(id -u)" = 0 ]; then
	echo "` + nodeFact + `: ` + nothing + `"
fi
`
	}
	if hasChecker(r) {
		cmd += steps.FindTool + `echo "` + checkerFact + `: $(command -v ` + steps.Tool + ` || echo ` + nothing + `)"` + "\n"
	}
	return target.Probe{
		Name: "activation", Query: target.Query{Cmd: cmd + "true"},
		Samples: func(answer []byte) []target.Sample {
			var out []target.Sample
			for l := range strings.Lines(string(answer)) {
				name, fact, ok := strings.Cut(strings.TrimSpace(l), ": ")
				if !ok || name != nodeFact && name != checkerFact || fact == "" {
					continue
				}
				s := target.Sample{Name: name, Unit: target.UnitFact, Fact: fact}
				if name == checkerFact && fact == nothing {
					s.Hint = fmt.Sprintf("No %s was found, neither on the search path nor in /usr/cumulus/bin and /usr/cumulus/sbin, although Cumulus "+
						"Linux has it from 4.1 on. Before apply only rocec checks %s: find out where the checker is.", steps.Tool, path.Base(confPath(r)))
				}
				out = append(out, s)
			}
			return out
		},
	}
}

// checkerEnded begins the line of the checker's exit status.
const checkerEnded = "checker status "

// verdictProbe runs the checker on the files of the switch. A checker without output has not checked them.
func verdictProbe(device string, r grammar.Release) target.Probe {
	files, there, args := Path, "test -f "+Path, "-t "+Path
	if split(r) {
		files, there = featuresPath+" and "+infraPath, "test -f "+featuresPath+" && test -f "+infraPath
		args = "-qf " + featuresPath + " -qi " + infraPath
	}
	return target.Probe{
		Name: checkerFact, Slow: true,
		Query: target.Query{Cmd: steps.FindTool + "command -v " + steps.Tool + " >/dev/null || exit 0\n" + there + " || exit 0\n" +
			"said=$(timeout 60 " + steps.Tool + " --datapath-syntax-check " + args + " 2>&1)\necho \"" + checkerEnded + "$?\"\n" +
			"printf '%s\\n' \"$said\" | head -c 4096\ntrue"},
		Judge: func(answer []byte) []string {
			_, said := verdict(answer)
			if said == "" || strings.Contains(said, steps.Sound) && !strings.Contains(said, steps.Unsound) {
				return nil
			}
			return []string{fmt.Sprintf("%s on %s does not accept %s: %s", steps.Tool, device, files,
				target.Escape(strings.Join(strings.Fields(said), " ")))}
		},
		Samples: func(answer []byte) []target.Sample {
			status, said := verdict(answer)
			if status == "" || said != "" {
				return nil
			}
			return []target.Sample{{
				Name: "verdict of " + steps.Tool, Unit: target.UnitFact, Fact: "none, exit status " + status,
				Hint: fmt.Sprintf("%s prints nothing about %s (exit status %s): it is unknown whether switchd accepts the content. Run the checker "+
					"there by hand.",
					steps.Tool, files, target.Escape(status)),
			}}
		},
	}
}

// verdict splits the answer of [verdictProbe]. Without a status, the checker did not run.
func verdict(answer []byte) (status, said string) {
	text, asked := strings.CutPrefix(string(answer), checkerEnded)
	if !asked {
		return "", ""
	}
	status, said, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(status), strings.TrimSpace(said)
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
		found = append(found, d.Name+" does not state its release: neither /etc/os-release nor /etc/lsb-release names one.")
	}
	family := map[platform.Vendor]string{platform.Mellanox: "mlx", platform.Broadcom: "bcm"}[d.Switch.Model.ASIC.Vendor]
	if len(chips) == 1 && chips[0] != family {
		found = append(found, fmt.Sprintf("%s has a chip of the family %s, but %s, the model in the fabric, has one of the family %s.",
			d.Name, target.Escape(chips[0]), d.Switch.Model.Title, family))
	}
	return found
}

func sameRelease(a, b string) bool {
	ra, okA := grammar.ParseRelease(a)
	rb, okB := grammar.ParseRelease(b)
	return a == b || okA && okB && ra == rb
}
