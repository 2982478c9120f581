package start

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// system is the operating system and the hardware of a switch, in the terms of the draft.
type system struct {
	os *ir.OS // nil: none that is known, and the switch is set by hand
	// version is the release that the file states, if rocec writes for it and it runs on the model; else empty
	version string
	word    string // of a switch that is set by hand: what it runs
	model   string
	known   bool // the file says the model
	guessed bool // the version is a guess
	byHand  bool
	card    bool // of a chassis
}

// ownModel is a switch_model block: hardware that no table has.
type ownModel struct {
	name  string
	asic  string
	ports int
	speed int
}

// hand is the system of a switch whose file names no system, and whose ports no known system has.
const hand = "other"

// usual are a few common models, the smaller and slower ones first.
var usual = []string{"sn2700", "sn2410", "sn4600c", "sn3700", "sn4600", "sn4700", "sn5600"}

// systems guesses what switches run and what hardware they are: what names, kinds and ports allow, the first that fits.
func (d *draft) systems() {
	for _, dev := range d.devices {
		if dev.role == isSwitch {
			dev.sys = d.systemOf(dev)
			dev.sys.guessed, dev.sys.card = d.guessed[dev.name], d.cards[dev.name]
		}
	}
	for _, dev := range d.devices {
		if dev.sys.os != nil && !dev.sys.known {
			agree(d, dev)
		}
	}
}

// agree guesses the system of a device anew where its port and the port of a known model have no speed in common, and no file states
// one. The ports of the device are then as fast as those of the known models.
func agree(d *draft, dev *device) {
	own, odd := natives(dev), false
	asked := make([]int, len(own))
	for i, j := range dev.jacks {
		far := j.peer
		at := slices.Index(far.dev.jacks, far)
		if !far.dev.sys.known || j.cable.speed > 0 || at < 0 {
			continue
		}
		a, b := own[i], natives(far.dev)[at]
		if a.speed == 0 || b.speed == 0 {
			continue
		}
		asked[i] = b.speed
		least := min(a.speed, b.speed)
		odd = odd || !platform.Runs(a.speed, a.lanes, least) || !platform.Runs(b.speed, b.lanes, least)
	}
	if !odd {
		return
	}
	for i, speed := range asked {
		dev.jacks[i].cable.speed = cmp.Or(speed, dev.jacks[i].cable.speed)
	}
	guessed, card := dev.sys.guessed, dev.sys.card
	dev.sys = d.systemOf(dev)
	dev.sys.guessed, dev.sys.card = guessed, card
	for i, speed := range asked {
		if speed > 0 {
			dev.jacks[i].cable.speed = 0
		}
	}
}

// rate is the speed of a port and its lanes.
type rate struct{ speed, lanes int }

// natives returns the rates that the ports of a device have by themselves on its model; zero: it has no such port, or no known system.
func natives(dev *device) []rate {
	out := make([]rate, len(dev.jacks))
	m, ok := platform.FindSwitch(dev.sys.model)
	if !ok || dev.sys.os == nil {
		return out
	}
	used := make([]ir.Used, len(dev.jacks))
	fronts := make([]ir.Front, len(dev.jacks))
	for i, j := range dev.jacks {
		fronts[i], _ = dev.sys.os.Read(m, j.port)
		used[i] = ir.Used{Name: j.port, Front: fronts[i], Speed: j.cable.speed}
	}
	if dev.sys.os.Resolve != nil {
		fronts = dev.sys.os.Resolve(m, used)
	}
	parts := partsOf(fronts)
	for i, f := range fronts {
		if r, ok := m.Port(int(f.Number), int(f.Sub)); ok {
			out[i] = rateOf(dev.sys.os, &r, f, parts[f.Number])
		}
	}
	return out
}

// partsOf lists the parts of each port that are used, -1 for the whole.
func partsOf(fronts []ir.Front) map[int16][]int {
	parts := map[int16][]int{}
	for _, f := range fronts {
		parts[f.Number] = append(parts[f.Number], int(f.Sub))
	}
	return parts
}

// rateOf is the rate of a port, or of a part of one with these parts.
func rateOf(os *ir.OS, r *platform.PortRange, f ir.Front, of []int) rate {
	switch {
	case f.Sub < 0:
		return rate{r.Speed, r.Lanes}
	case os.Resolve != nil:
		speed, lanes := r.PartAt(int(f.Sub), of)
		return rate{speed, lanes}
	}
	speed, lanes := r.Split(slices.Max(of))
	return rate{speed, lanes}
}

func (d *draft) systemOf(dev *device) system {
	for _, os := range d.candidates(dev) {
		if slices.ContainsFunc(dev.jacks, func(j *jack) bool { return !d.front(os, nil, j.port) }) {
			continue
		}
		if m := d.model(dev); m != nil && fits(os, m, dev) {
			return system{os: os, model: m.Name, known: true, version: said(os, m, dev)}
		}
		var guess *platform.Switch
		for _, name := range usual { // the first one that fits, if none runs what the file says
			m, ok := platform.FindSwitch(name)
			if !ok || !fits(os, m, dev) {
				continue
			}
			if version := said(os, m, dev); version != "" || said(os, nil, dev) == "" {
				return system{os: os, model: name, version: version}
			}
			if guess == nil {
				guess = m
			}
		}
		own, version := "", said(os, nil, dev)
		if guess == nil || version != "" { // no usual model runs the release
			own = d.own(os, dev)
		}
		switch {
		case own != "":
			return system{os: os, model: own, version: version}
		case guess != nil:
			return system{os: os, model: guess.Name}
		}
	}
	s := system{byHand: true, word: systemWord(dev.said.System), model: "sn5600"}
	fastest := 0
	for _, j := range dev.jacks {
		fastest = max(fastest, j.cable.speed)
	}
	for _, name := range []string{"sn2700", "sn3700", "sn4700"} { // a chip that is fast and large enough: its ports are not asked for
		if m, ok := platform.FindSwitch(name); ok && m.ASIC.MaxSpeed >= fastest && len(dev.jacks) <= mostOn(m.ASIC) {
			s.model = name
			break
		}
	}
	if m := d.model(dev); m != nil {
		s.model, s.known = m.Name, true
	}
	if d.known.FindOS(s.word) != nil { // a system whose ports have other names here, as in a lab
		s.word += "-lab"
	}
	return s
}

// runs reports whether a system has a release that rocec writes for, and that runs on a model, or (nil) on any.
func runs(os *ir.OS, m *platform.Switch, version string) bool {
	return version != "" && os.Release(version) == "" && (os.Runs == nil || os.Runs(m, version))
}

// said is the release that the file says of a device, where it is one; else empty. NVIDIA Air and platforms of inventories write it in the
// word for the system: cumulus-vx-5.11.0, sonic-vs-202305, cumulus-linux-5-11.
func said(os *ir.OS, m *platform.Switch, dev *device) string {
	if version := strings.TrimPrefix(dev.said.Version, "v"); runs(os, m, version) {
		return version
	}
	if version := releaseIn(dev.said.System); dev.said.Version == "" && runs(os, m, version) {
		return version
	}
	return ""
}

// releaseIn is the release at the end of the word for a system, behind a mark that is no letter; empty: it ends in another way.
func releaseIn(system string) string {
	begin := len(strings.TrimRight(system, "0123456789.-"))
	release := strings.TrimLeft(system[begin:], ".-")
	if begin+len(release) == len(system) && begin > 0 && !strings.ContainsAny(system[begin-1:begin], " _/") {
		return "" // "ubuntu2404"
	}
	return strings.ReplaceAll(release, "-", ".")
}

// candidates are the systems that a switch may run, the likeliest first.
func (d *draft) candidates(dev *device) []*ir.OS {
	if d.stated {
		return []*ir.OS{d.on.OS}
	}
	said := strings.ReplaceAll(platform.Fold(dev.said.System), "cvx", "cumulus") // as containerlab calls it
	for _, os := range d.known.OS {
		for w := range strings.SplitSeq(os.Name, "-") {
			if w != "linux" && strings.Contains(said, w) {
				return []*ir.OS{os}
			}
		}
	}
	if systemRole(dev.said.System) == isSwitch { // another vendor's
		return nil
	}
	return d.known.OS
}

// fits reports whether a model has the ports of a device, each as fast as its cable, and can be split so.
func fits(os *ir.OS, m *platform.Switch, dev *device) bool {
	var used []ir.Used
	for _, j := range dev.jacks {
		f, named := os.Read(m, j.port)
		if !named {
			return false
		}
		used = append(used, ir.Used{Name: j.port, Front: f, Speed: j.cable.speed})
	}
	fronts := make([]ir.Front, len(used))
	for i, u := range used {
		fronts[i] = u.Front
	}
	if os.Resolve != nil {
		fronts = os.Resolve(m, used)
	}
	parts := partsOf(fronts)
	for i, f := range fronts {
		r, ok := m.Port(int(f.Number), int(f.Sub))
		of := parts[f.Number]
		if !ok || slices.Contains(of, -1) && slices.Max(of) >= 0 {
			return false
		}
		native := rateOf(os, &r, f, of)
		if speed := used[i].Speed; speed > 0 && !platform.Runs(native.speed, native.lanes, speed) {
			return false
		}
		if m.PairSplit == 0 || r.Lanes/max(native.lanes, 1) < m.PairSplit {
			continue
		}
		pair := f.Number - 1 // which a port that is split so takes with it
		if f.Number%2 == 1 {
			pair = f.Number + 1
		}
		if m.OddSplit && f.Number%2 == 0 || len(parts[pair]) > 0 {
			return false
		}
	}
	return true
}

// mostOn is how many lossless ports a chip has memory for, at about 150 kB each.
func mostOn(a *platform.ASIC) int { return a.Buffer / 150_000 }

// mostOwnPorts is how many ports a switch_model block may have.
const mostOwnPorts = 1024

// own makes a switch_model for a device whose ports no common model has. It returns the name, or "" where there cannot be one, or the
// system is not written on one.
func (d *draft) own(os *ir.OS, dev *device) string {
	if os != d.known.DefaultOS() {
		return ""
	}
	m := ownModel{ports: 32, speed: 100_000, asic: "spectrum"}
	for _, j := range dev.jacks {
		f, _ := os.Read(nil, j.port)
		m.ports, m.speed = max(m.ports, int(f.Number)), max(m.speed, j.cable.speed)
	}
	for _, chip := range []string{"spectrum", "spectrum2", "spectrum3", "spectrum4"} {
		m.asic = chip
		if a, ok := platform.FindASIC(chip); ok && a.MaxSpeed >= m.speed && len(dev.jacks) <= mostOn(a) {
			break
		}
	}
	lanes := 4
	if m.speed >= 400_000 {
		lanes = 8
	}
	made := &platform.Switch{Ports: []platform.PortRange{{First: 1, Last: m.ports, Speed: m.speed, Lanes: lanes}}}
	if m.ports > mostOwnPorts || !slices.Contains(platform.Speeds, m.speed) || !fits(os, made, dev) {
		return ""
	}
	m.name = fmt.Sprintf("ports-%d-%s", m.ports, strings.ToLower(platform.SpeedText(m.speed)))
	if !slices.ContainsFunc(d.custom, func(o *ownModel) bool { return o.name == m.name }) {
		d.custom = append(d.custom, &m)
	}
	return m.name
}

var oddSystem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9]+`) })

// systemWord is the name of a system as a switch block writes it.
func systemWord(said string) string {
	if i := strings.LastIndexByte(said, '/'); i >= 0 {
		said = said[i+1:]
	}
	if w := strings.Trim(oddSystem().ReplaceAllString(strings.ToLower(said), "-"), "-"); w != "" && len(w) <= 32 {
		return w
	}
	return hand
}

var speedText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(\d+)\s*([mgt])`) })

// megabits reads a speed such as 100G or 25 Gbps; 0 if it is written in another way.
func megabits(s string) int {
	m := speedText().FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 1 || n > 10_000_000 {
		return 0
	}
	n *= map[string]int{"m": 1, "g": 1000, "t": 1_000_000}[strings.ToLower(m[2])]
	if n > 10_000_000 {
		return 0
	}
	return n
}

// nicModel is the first of a few common models that is as fast as asked.
func (d *draft) nicModel(speed int) string {
	models := []string{"connectx-5", "connectx-6", "connectx-7", "connectx-8"}
	for _, name := range models {
		if n := d.known.FindNIC(name); n != nil && speed <= n.Speed {
			return name
		}
	}
	return models[0]
}
