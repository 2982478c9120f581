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

// system is the operating system and the hardware of a switch in a draft.
type system struct {
	os *ir.OS // nil: unknown, so the switch is set by hand
	// version is the release in the file, if rocec writes for it and the model can run it; else empty
	version string
	word    string // the system of a switch that is set by hand
	model   string
	known   bool // the file states the model
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

// hand is the system of a switch whose file names no system, and whose ports have names of no known system.
const hand = "other"

// usual lists a few common models, smaller and slower ones first.
var usual = []string{"sn2700", "sn2410", "sn4600c", "sn3700", "sn4600", "sn4700", "sn5600"}

// systems guesses the operating systems and models of switches: the first ones that fit names, kinds and ports.
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

// agree guesses the system of a device again if its port and the opposite port of a known model share no speed, and no file states one.
// The ports of the device then get the speed of the known model.
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

// rate is the speed and the number of lanes of a port.
type rate struct{ speed, lanes int }

// natives returns the default rates of the ports of a device on its model; zero: the model has no such port, or the system is unknown.
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

// partsOf lists the used parts of each port; -1 is the whole port.
func partsOf(fronts []ir.Front) map[int16][]int {
	parts := map[int16][]int{}
	for _, f := range fronts {
		parts[f.Number] = append(parts[f.Number], int(f.Sub))
	}
	return parts
}

// rateOf returns the rate of a port, or of each part if it is split.
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
		for _, name := range usual { // the first one that fits, if none runs the release in the file
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
		if guess == nil || version != "" { // the usual models cannot run the release
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
	for _, name := range []string{"sn2700", "sn3700", "sn4700"} { // the chip is fast and large enough: port names do not matter
		if m, ok := platform.FindSwitch(name); ok && m.ASIC.MaxSpeed >= fastest && len(dev.jacks) <= mostOn(m.ASIC) {
			s.model = name
			break
		}
	}
	if m := d.model(dev); m != nil {
		s.model, s.known = m.Name, true
	}
	if d.known.FindOS(s.word) != nil { // ports of the system have other names in a lab
		s.word += "-lab"
	}
	return s
}

// runs reports whether rocec writes for a release of a system, and a model (nil: any model) can run it.
func runs(os *ir.OS, m *platform.Switch, version string) bool {
	return version != "" && os.Release(version) == "" && (os.Runs == nil || os.Runs(m, version))
}

// said returns the release of a device in the file, or "" if it is invalid. NVIDIA Air and platforms of inventories have it in the word
// for the system: cumulus-vx-5.11.0, sonic-vs-202305, cumulus-linux-5-11.
func said(os *ir.OS, m *platform.Switch, dev *device) string {
	if version := strings.TrimPrefix(dev.said.Version, "v"); runs(os, m, version) {
		return version
	}
	if version := releaseIn(dev.said.System); dev.said.Version == "" && runs(os, m, version) {
		return version
	}
	return ""
}

// releaseIn returns the release at the end of the word for a system, after a character that is not a letter; empty: none.
func releaseIn(system string) string {
	begin := len(strings.TrimRight(system, "0123456789.-"))
	release := strings.TrimLeft(system[begin:], ".-")
	if begin+len(release) == len(system) && begin > 0 && !strings.ContainsAny(system[begin-1:begin], " _/") {
		return "" // "ubuntu2404"
	}
	return strings.ReplaceAll(release, "-", ".")
}

// candidates returns the systems that a switch may run, the likeliest first.
func (d *draft) candidates(dev *device) []*ir.OS {
	if d.stated {
		return []*ir.OS{d.on.OS}
	}
	said := strings.ReplaceAll(platform.Fold(dev.said.System), "cvx", "cumulus") // name in containerlab
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

// fits reports whether a model has the ports of a device, each as fast as its cable, and can be split in this way.
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
		pair := f.Number - 1 // ports that such a split disables
		if f.Number%2 == 1 {
			pair = f.Number + 1
		}
		if m.OddSplit && f.Number%2 == 0 || len(parts[pair]) > 0 {
			return false
		}
	}
	return true
}

// mostOn returns the number of lossless ports for which a chip has memory, at about 150 kB each.
func mostOn(a *platform.ASIC) int { return a.Buffer / 150_000 }

// mostOwnPorts is the maximum number of ports in a switch_model block.
const mostOwnPorts = 1024

// own makes a switch_model for a device whose ports no common model has. It returns the name, or "" if no model is possible, or rocec
// does not write the system on one.
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

// systemWord returns the name of a system in a switch block.
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

// megabits parses a speed such as 100G or 25 Gbps; 0: another form.
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

// nicModel returns the first of a few common models with at least the given speed.
func (d *draft) nicModel(speed int) string {
	models := []string{"connectx-5", "connectx-6", "connectx-7", "connectx-8"}
	for _, name := range models {
		if n := d.known.FindNIC(name); n != nil && speed <= n.Speed {
			return name
		}
	}
	return models[0]
}
