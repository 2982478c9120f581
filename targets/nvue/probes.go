package nvue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/steps"
	"github.com/rocec/rocec/targets/target"
)

// identity asks for the release and model of a switch, and whether NVUE can accept a change: it runs, no other change is in progress, and
// NVUE writes the files of QoS.
func identity(d *ir.Device) []target.Probe {
	return []target.Probe{cumulus.Release(d), {
		Name: "NVUE",
		Query: target.Query{Cmd: `said=$(systemctl is-active nvued)
echo "nvued $said"
one() {
	printf '%s ' "$1"
	shift
	timeout 20 "$@" 2>/dev/null | head -c 1048576 | tr '\n' ' '
	echo
}
one revisions nv config revision -o json
one model decode-syseeprom -j
echo "ignored $(timeout 20 nv config show -o yaml 2>/dev/null | grep -c -e ` + grammar.FeaturesPath + ` -e ` + grammar.InfraPath + `)"
echo "groups $(grep -c -e '^pfc.roce_pfc' -e '^link_pause.roce_pause' -e '^ecn_red.roce_ecn' ` + grammar.FeaturesPath + ` 2>/dev/null)"
true`},
		Judge: func(answer []byte) []string { return judgeIdentity(d, answer) },
	}}
}

// revision is a revision in the output of `nv config revision -o json`.
type revision struct {
	State   string `json:"state"`
	Message string `json:"message"`
	More    struct {
		User string `json:"user"`
	} `json:"additional-data"`
}

func judgeIdentity(d *ir.Device, answer []byte) (wrong []string) {
	says := map[string]string{}
	for line := range strings.Lines(string(answer)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		says[word] = rest
	}
	if state := says["nvued"]; state != "active" {
		return []string{fmt.Sprintf("nvued on %s is %s, so rocec can neither read nor change settings: see journalctl -u nvued there, "+
			"and start it (sudo systemctl start nvued). For a switch that is configured by files, write config = %q in its block.",
			d.Name, stateOf(state), "files")}
	}
	var revisions map[string]revision
	if json.Unmarshal([]byte(says["revisions"]), &revisions) != nil {
		if rel, ok := grammar.ParseRelease(d.Switch.Version); ok && !rel.AtLeast(5, 5) {
			return []string{fmt.Sprintf("The output of nv config revision on %s cannot be read. The command is in the manuals from 5.5 on, so "+
				"release %s may lack it, and without it rocec cannot see whether another person's change is under way. Upgrade the switch to 5.5 "+
				"or later, or write config = %q in the switch block.", d.Name, d.Switch.Version, "files")}
		}
		return []string{fmt.Sprintf("The output of nv config revision on %s cannot be read, so another person's change may be under way. "+
			"Allow nv to the login user (group nvapply), or use sudo without a password.", d.Name)}
	}
	for _, id := range slices.SortedFunc(maps.Keys(revisions), grammar.Compare) {
		r := revisions[id]
		if strings.HasPrefix(r.Message, "rocec-") { // rocec's own lock reports it
			continue
		}
		if _, err := strconv.Atoi(id); err != nil {
			continue
		}
		by := ""
		if r.More.User != "" {
			by = " (" + target.Escape(r.More.User) + ")"
		}
		switch r.State {
		case "confirm":
			wrong = append(wrong, fmt.Sprintf("Revision %s on %s waits for its confirmation%s. The user who applied the revision must confirm or "+
				"reject it (nv config apply %s --confirm-yes or --confirm-no).", target.Escape(id), d.Name, by, target.Escape(id)))
		case "apply":
			wrong = append(wrong, fmt.Sprintf("Revision %s on %s is being applied%s: wait for it, or see nv config history there if it does not "+
				"end.", target.Escape(id), d.Name, by))
		}
	}
	if n, _ := strconv.Atoi(says["ignored"]); n > 0 { // one of the two is enough: the switch would not do what NVUE applies
		wrong = append(wrong, byFilesInstead(d, "NVUE does not write "+grammar.FeaturesPath+" or "+grammar.InfraPath))
	} else if n, _ := strconv.Atoi(says["groups"]); n > 0 {
		wrong = append(wrong, byFilesInstead(d, grammar.FeaturesPath+" has port groups of rocec"))
	}
	return append(wrong, judgeModel(d, says["model"])...)
}

func stateOf(s string) string {
	if s == "" {
		return "not known"
	}
	return target.Escape(s)
}

// byFilesInstead reports that the switch is configured in the other way than in the fabric.
func byFilesInstead(d *ir.Device, why string) string {
	says := fmt.Sprintf("in the fabric it is configured by NVUE, the default of release %s", d.Switch.Version)
	if at := d.Switch.ConfigAt; at.Filename != "" {
		says = fmt.Sprintf("the switch block has config = %q (%s:%d)", cumulus.ByNVUE, diag.Escape(at.Filename), at.Start.Line)
	}
	return fmt.Sprintf("%s is configured by files (%s), but %s. Write config = \"files\" in the switch block, or remove the files' settings "+
		"on the switch.", d.Name, why, says)
}

// modelNumber finds the model number in a product name: MSN3700-CS2F, SN5600.
var modelNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)SN([0-9]{4})`) })

// judgeModel compares the model numbers. The letters after the number describe the ports, and product names spell them differently.
func judgeModel(d *ir.Device, answer string) []string {
	var eeprom struct {
		TLV map[string]struct {
			Value string `json:"value"`
		} `json:"tlv"`
	}
	if json.Unmarshal([]byte(answer), &eeprom) != nil {
		return nil
	}
	product := eeprom.TLV["Product Name"].Value
	is, want := modelNumber().FindStringSubmatch(product), modelNumber().FindStringSubmatch(d.Switch.Model.Name)
	if is == nil || want == nil || is[1] == want[1] {
		return nil
	}
	return []string{fmt.Sprintf("%s reports that it is a %s, but the fabric has model = %q: its ports, memory and headroom "+
		"differ.", d.Name, target.Escape(product), d.Switch.Model.Name)}
}

// probes returns the probes that show whether the settings work: nvued and switchd run, the switch reserves the headroom of its lossless
// ports, and the surroundings of every switch.
func probes(d *ir.Device) []target.Probe {
	out := []target.Probe{nvuedProbe(d), cumulus.Switchd(d.Name, true, false)}
	var all, some []*ir.Port
	kinds := map[[3]int]bool{}
	for _, p := range sorted(d.Ports) {
		if len(p.Buffers()) == 0 || p.Link().Planned {
			continue
		}
		all = append(all, p)
		if kind := [3]int{lengthClass(p.Link().Length), p.Speed(), p.MTU()}; !kinds[kind] && len(some) < atOnce {
			kinds[kind] = true
			some = append(some, p)
		}
	}
	if len(some) > 0 {
		out = append(out, headroomProbe(d, "headroom", some, false))
	}
	rest := slices.DeleteFunc(all, func(p *ir.Port) bool { return slices.Contains(some, p) })
	for chunk := range slices.Chunk(rest, atOnce) {
		out = append(out, headroomProbe(d, "headroom from "+chunk[0].Name+" on", chunk, true))
	}
	return append(out, cumulus.Around(d)...)
}

// atOnce is the number of ports in one probe: nv needs half a second to a second per port, and a probe has half a minute.
const atOnce = 8

// nvuedProbe asks whether the daemon runs, for obstacles to a change, for adaptive routing, which rocec never writes, and whether a
// restart would keep the applied tree.
func nvuedProbe(d *ir.Device) target.Probe {
	const cmd = "echo \"nvued $(systemctl is-active nvued)\"\napplied\necho \"revision $now $state\"\ntree applied || true"
	return target.StateProbe("nvued", steps.Functions()+cmd, func(answer []byte) []target.Sample {
		state, text, _ := strings.Cut(string(answer), "\n")
		state = strings.TrimPrefix(strings.TrimSpace(state), "nvued ")
		applied, tree, _ := strings.Cut(text, "\n")
		applied, ok := strings.CutPrefix(applied, "revision ")
		if ok {
			text = tree
		}
		nvued := target.Gauge("nvued", "", state == "active", fmt.Sprintf("nvued on %s is %s; see journalctl -u nvued "+
			"there.", d.Name, stateOf(state)))
		nvued.Needed = true
		out := []target.Sample{nvued}
		if on := Adaptive([]byte(text)); len(on) > 0 {
			out = append(out, target.Sample{Name: "adaptive routing", Unit: target.UnitFact, Fact: target.Escape(diag.And(on))})
		}
		if s, ok := unsaved(d, applied); ok {
			out = append(out, s)
		}
		return out
	})
}

// unsaved warns that a restart would undo the applied revision: up to 5.8 only `nv config save` keeps a revision (auto-save is on from
// 5.9 on, release notes). The result is a hint and not a finding, since only the manuals show that a saved revision has another state.
func unsaved(d *ir.Device, applied string) (target.Sample, bool) {
	rel, ok := grammar.ParseRelease(d.Switch.Version)
	number, state, _ := strings.Cut(applied, " ")
	if _, err := strconv.Atoi(number); !ok || rel.AtLeast(5, 9) || err != nil || strings.TrimSpace(state) != "applied" {
		return target.Sample{}, false
	}
	return target.Sample{
		Name: "saved", Unit: target.UnitFact, Fact: "revision " + number + " is applied, and not saved",
		Hint: "The applied revision is not saved. With this release a restart of the switch restores the last saved revision. The " +
			"user who applied it can keep it with nv config save.",
	}, true
}

// headroomProbe reads the memory that a switch reserves for packets that arrive after a pause. The switch derives the size by a formula
// that is not public. If it is smaller than rocec's, packets are lost.
//
// The applied configuration decides what a port should have. The output of nv for the port shows the chip, which may have less than was
// applied, in a form that no manual documents.
func headroomProbe(d *ir.Device, name string, ports []*ir.Port, slow bool) target.Probe {
	var b strings.Builder
	b.WriteString(steps.Functions())
	b.WriteString("one() {\nprintf 'groups:%s ' \"$1\"\ntimeout 10 nv show interface \"$1\" qos buffer ingress-priority-group " +
		"-o json 2>/dev/null | head -c 65536 | tr '\\n' ' '\necho\necho \"link:$1 $(cat \"/sys/class/net/$1/operstate\" 2>/dev/null)\"\n}\n")
	for _, p := range ports {
		b.WriteString("one " + p.Name + "\n")
	}
	b.WriteString("if text=$(tree applied); then printf '%s\\n' '" + treeBegins + "' \"$text\"; fi")
	samples := func(answer []byte) (out []target.Sample, short []string) {
		told, tree, read := strings.Cut(string(answer), "\n"+treeBegins+"\n")
		says := map[string]string{}
		for line := range strings.Lines(told) {
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			says[word] = rest
		}
		cfg, err := grammar.Read([]byte(tree))
		var bonds map[string]string
		if read = read && err == nil; read {
			bonds = grammar.Bonds(cfg.Set)
		}
		for _, p := range ports {
			if !read {
				out = append(out, unread(d, p, "nv config show prints no applied configuration."))
				continue
			}
			holder := cmp.Or(bonds[p.Name], p.Name)
			s, less := headroomOf(d, p, pauses(cfg.Set, holder, p), says["groups:"+p.Name])
			if less != "" {
				short = append(short, less)
			}
			if holder != p.Name && s.Unit == target.UnitState && s.Value == 0 && !strings.Contains(says["groups:"+p.Name], `"lossless"`) {
				s = unread(d, p, fmt.Sprintf("it is a member of %s, and the manuals leave open whether a switch shows the lossless group "+
					"there.", target.Escape(holder)))
			}
			if s.Unit == target.UnitState && s.Value == 0 && says["link:"+p.Name] == "down" {
				s = unread(d, p, "its link is down, and the reserve may depend on its speed.")
			}
			out = append(out, s)
		}
		return out, short
	}
	return target.Probe{
		Name: name, Query: target.Query{Cmd: b.String()}, Slow: slow,
		Samples: func(answer []byte) []target.Sample {
			out, _ := samples(answer)
			return out
		},
		Judge: func(answer []byte) []string {
			out, short := samples(answer)
			return append(target.Down(out), short...)
		},
	}
}

// treeBegins is the line before the applied tree in an answer.
const treeBegins = "== applied"

// pauses reports whether the applied tree makes a port pause: the port has a profile of rocec's, or the preset.
func pauses(set *grammar.Tree, holder string, p *ir.Port) bool {
	table := "pfc"
	if p.ByPause() {
		table = "link-pause"
	}
	bound := set.Get("interface", holder, "qos", table, "profile")
	if bound.IsScalar() && bound.Value != global {
		return mine(bound.Value)
	}
	return table == "pfc" && grammar.PresetIsOn(set) && !grammar.PresetIsLossy(set)
}

// headroomOf compares the headroom of a port with the vendor's own tables ([ir.Buffer.Floor]) and with the need. A headroom below the
// tables rolls back a change. A headroom between the two is the finding short, since only an unlucky burst is then lost. A port that does
// not pause yet needs none.
func headroomOf(d *ir.Device, p *ir.Port, pauses bool, groups string) (s target.Sample, short string) {
	const name = "headroom"
	need, floor := 0, 0
	for _, b := range p.Buffers() { // all buffers are in one priority group
		need, floor = need+b.Need, floor+b.Floor
	}
	if !pauses {
		return target.Gauge(name, p.Name, true, fmt.Sprintf("%s of %s has no headroom.", p.Name, d.Name)), ""
	}
	var of map[string]map[string]any
	if json.Unmarshal([]byte(groups), &of) != nil || len(of) == 0 {
		return unread(d, p, fmt.Sprintf("nv show interface %s qos buffer ingress-priority-group prints nothing.", p.Name)), ""
	}
	told := false // some group states its kind
	for _, id := range slices.Sorted(maps.Keys(of)) {
		g := of[id]
		kind, is := g["lossy-lossless"].(string)
		told = told || is
		if !strings.EqualFold(kind, "lossless") {
			continue
		}
		have, ok := Bytes(g["headroom"])
		if !ok {
			return unread(d, p, fmt.Sprintf("nv show interface %s qos buffer ingress-priority-group prints no number of bytes.", p.Name)), ""
		}
		says := fmt.Sprintf("%s reserves %s B of headroom for %s, but up to %s B can arrive after it sends a pause. State a longer "+
			"cable for the port, or the buffer in a pfc block.", d.Name, diag.Number(have), p.Name, diag.Number(need))
		if have >= floor && have < need {
			short = says
		}
		return target.Gauge(name, p.Name, have >= floor, says), short
	}
	if !told {
		return unread(d, p, fmt.Sprintf("nv show interface %s qos buffer ingress-priority-group does not show which group is lossless.", p.Name)),
			""
	}
	return target.Gauge(name, p.Name, false, fmt.Sprintf("%s has no lossless priority group on %s, although a PFC profile is bound to it: "+
		"is there a lossless traffic pool? See nv show qos traffic-pool.", d.Name, p.Name)), ""
}

// unread returns a sample for a headroom that could not be read, with the reason. The form of the answer is not documented, so an answer
// that rocec does not understand causes no rollback.
func unread(d *ir.Device, p *ir.Port, why string) target.Sample {
	return target.Sample{
		Name: "headroom", On: p.Name, Unit: target.UnitFact, Fact: target.NotReadable,
		Hint: fmt.Sprintf("The headroom that %s reserves for %s was not read: %s It may be too small.", d.Name, p.Name, why),
	}
}

// Bytes reads a size in the forms that NVUE may have in JSON, which no manual documents: 150000, "150000 B", "146.48 KB". A size with a
// fraction is rounded up, by half of its last digit.
func Bytes(v any) (int, bool) {
	switch v := v.(type) {
	case float64:
		return int(v), v >= 0 && v < 1<<40
	case string:
		number, unit, _ := strings.Cut(strings.TrimSpace(v), " ")
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !(n >= 0 && n <= 1<<40) { // NaN fails both comparisons
			return 0, false
		}
		scale := map[string]float64{"": 1, "B": 1, "BYTES": 1, "KB": 1 << 10, "MB": 1 << 20}[strings.ToUpper(unit)]
		if scale == 0 {
			return 0, false
		}
		if _, fraction, ok := strings.Cut(number, "."); ok {
			half := 0.5
			for range fraction {
				half /= 10
			}
			n += half
		}
		return int(n * scale), true
	}
	return 0, false
}
