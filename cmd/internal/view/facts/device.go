package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/walk"
)

// The facts that show prints about a device, a port and a pair of hosts. It judges nothing: validate does.

// Device returns the settings of a device, and a section about its files if they are given.
func Device(set *walk.Settings, files []target.File, d *ir.Device) []Section {
	head := Section{Title: fmt.Sprintf("%s (%s)", d.Name, GroupName(d))}
	head.Add("declared", d.Name, ir.Origin{At: d.At})
	if s := d.Switch; s != nil {
		head.Add("model", fmt.Sprintf("%s, %s", s.Model.Title, s.Model.ASIC.Title), ir.Origin{At: s.ModelAt})
		if release := strings.TrimSpace(s.OS + " " + s.Version); release != "" {
			head.Add("release", release, ir.Origin{At: s.VersionAt})
		}
		if s.OS != "" && s.Can.System == "" {
			head.Add("judged by", "its chip alone", ir.Origin{At: s.OSAt, Why: "rocec does not know this operating system: it assumes PFC, ECN, " +
				"and a " +
				"separate buffer for each lossless group"})
		}
		head.Add("lossless groups", losslessText(s.Can), losslessOrigins(s.Can)...)
		if s.Can.Drops != "" {
			head.Add("without ECN bits", "dropped by a queue that marks", ir.Origin{Why: s.Can.Drops})
		}
		head.Add("tier", strconv.Itoa(s.Tier), s.TierFrom)
		if s.ASN != 0 {
			head.Add("asn", strconv.Itoa(s.ASN))
		}
		if s.MLAG != "" {
			head.Add("redundancy", s.MLAG)
		}
	} else {
		for _, n := range d.Host.NICs {
			head.Add("nic "+n.Name, n.Model.Title, ir.Origin{At: n.ModelAt})
		}
	}
	if d.Maintenance != "" {
		head.Add("maintenance", d.Maintenance, ir.Origin{At: d.MaintenanceAt, Why: "apply does not change the device"})
	}
	if d.ByOthers {
		head.Add("written by", "others", ir.Origin{At: d.WrittenByAt, Why: "rocec renders and judges the settings, and does not write them"})
	}
	out := []Section{head}
	if d.ByHand != nil {
		out = append(out, describeByHand(set, d))
	}
	if len(d.Ports) > 0 {
		ports := Section{Title: "ports"}
		for _, p := range d.Ports {
			ports.Add(p.Name, portLine(p), ir.Origin{At: p.At})
		}
		out = append(out, ports)
	}
	if d.Switch != nil && set.Read == nil { // otherwise the value of the wanted settings
		out = append(out, describeMemory(d)...)
	}
	for _, file := range files {
		if file.Keys == nil || file.Live != nil && len(file.Forms) == 0 { // the section about the files shows this state
			continue
		}
		s := Section{Title: file.Path}
		if file.InUse != "" {
			s.Add("in use", file.InUse)
		}
		data := file.Sketch
		if data == nil {
			data, _ = file.Edit(nil)
		}
		for _, k := range file.Keys(data) {
			if !k.Ours {
				continue
			}
			var why []ir.Origin
			if file.Why != nil {
				why = file.Why(k.Name)
			}
			s.Add(k.Name, k.Value, why...)
		}
		out = append(out, s)
	}
	return out
}

// describeByHand lists the settings that others must make on a device, or that the fabric states they have made.
func describeByHand(set *walk.Settings, d *ir.Device) Section {
	h := d.ByHand
	s := Section{Title: "set by others"}
	s.Add("declared", "by_hand", ir.Origin{At: h.At})
	carried := map[int]*ir.CosGroup{}
	at := map[int]*ir.Port{} // by cos: a port that carries it
	for _, p := range d.Ports {
		for _, b := range p.Buffers() {
			carried[b.Group.Cos], at[b.Group.Cos] = b.Group, p
		}
	}
	if len(d.Ports) > 0 {
		p := d.Ports[0]
		s.Add("flow control", flowControls(d), ir.Origin{At: h.FlowControlAt})
		s.Add("trust", set.Of(p).Trust.String(), ir.Origin{At: h.TrustAt})
	}
	for cos := range 8 {
		if g := carried[cos]; g != nil {
			on, from := pfcText(set, at[cos], cos), ir.Origin{At: g.LosslessAt, Why: g.Name + " is lossless"}
			if h.PFC != nil || h.FlowControl != "" {
				from = ir.Origin{At: diag.FirstPlace(h.PFCAt, h.FlowControlAt), Why: "by_hand"}
			}
			s.Add(fmt.Sprintf("pfc cos %d", cos), on, from)
		}
	}
	if h.PFC != nil {
		s.Add("pfc stated", fmt.Sprint(values(h.PFC)), ir.Origin{At: h.PFCAt})
	}
	for _, g := range d.Fabric.CosGroups {
		if len(d.Ports) == 0 || !set.Of(d.Ports[0]).Trust.DSCP {
			break // the map is not used
		}
		for _, c := range g.DSCP {
			to, why := ir.Claim{Value: g.Cos, At: c.At}, "cos group "+g.Name
			if stated, ok := h.DSCP[c.Value]; ok {
				to, why = stated, "by_hand"
			}
			s.Add(fmt.Sprintf("dscp %d", c.Value), fmt.Sprintf("cos %d", to.Value), ir.Origin{At: to.At, Why: why})
		}
	}
	if d.Host == nil {
		s.Add("ecn", strconv.FormatBool(h.ECN), ir.Origin{At: h.ECNAt})
		return s
	}
	s.Add("dcbx", map[bool]string{true: "firmware", false: "host"}[h.Firmware], ir.Origin{At: h.FirmwareAt})
	s.Add("dcqcn", strconv.FormatBool(h.DCQCN), ir.Origin{At: h.DCQCNAt})
	return s
}

// pfcText returns how a port uses pauses of a priority.
func pfcText(set *walk.Settings, p *ir.Port, prio int) string {
	sending, obeying, known := set.Pauses(p)
	sends, obeys := sending>>prio&1 == 1, obeying>>prio&1 == 1
	switch {
	case !known:
		return "not known"
	case sends && obeys:
		return "on"
	case sends:
		return "sends pauses, obeys none"
	case obeys:
		return "obeys pauses, sends none"
	}
	return "off"
}

func values(claims []ir.Claim) []int {
	out := make([]int, len(claims))
	for i, c := range claims {
		out[i] = c.Value
	}
	return out
}

// portLine returns a port in one line: the other end, the speed and length, and the lossless groups.
func portLine(p *ir.Port) string {
	s := fmt.Sprintf("to %s, %s", p.Peer(), platform.SpeedText(p.Speed()))
	if p.Link().Length.Known() {
		s += fmt.Sprintf(", %s m", Metres(p.Link().Length.Metres))
	}
	var groups []string
	for _, b := range p.Buffers() {
		groups = append(groups, b.Group.Name)
	}
	if len(groups) > 0 {
		s += ", lossless: " + strings.Join(groups, " ")
	}
	if p.Link().Bond != 0 {
		s += ", bond " + bondText(p)
	}
	if p.Link().FlowControlAt.Filename != "" {
		s += ", " + flowText(p.Link())
	}
	if p.Link().Planned {
		s += ", planned"
	}
	return s
}

// flowControls returns the kinds of flow control on the ports of a device, each once.
func flowControls(d *ir.Device) string {
	var out []string
	for _, p := range d.Ports {
		if fc := string(p.FlowControl()); !slices.Contains(out, fc) {
			out = append(out, fc)
		}
	}
	return strings.Join(out, ", ")
}

// flowText returns the flow control that makes a cable lossless.
func flowText(l *ir.Link) string {
	if l.ByPause() {
		return "link pause"
	}
	return "PFC"
}

// bondText names the ports in the same bond as this port.
func bondText(p *ir.Port) string {
	var others []string
	for _, q := range p.Device().Ports {
		if q != p && q.Link().Bonded(p.Link()) {
			others = append(others, q.Name)
		}
	}
	if others == nil {
		return "only of this port"
	}
	return "with " + strings.Join(others, ", ")
}

// Port returns the settings of a port.
func Port(set *walk.Settings, p *ir.Port) []Section {
	head := Section{Title: p.String()}
	head.Add("cabled", p.Peer().String(), ir.Origin{At: p.At, Why: p.Link().Block})
	head.Add("speed", platform.SpeedText(p.Link().Speed.N), p.Link().Speed.From...)
	if p.Link().Length.Known() {
		head.Add("length", Metres(p.Link().Length.Metres)+" m", p.Link().Length.From)
	}
	if p.MTU() > 0 {
		from := p.Link().MTU.From
		if p.NIC != nil {
			from = []ir.Origin{{At: p.NIC.MTUAt}}
		}
		head.Add("mtu", strconv.Itoa(p.MTU()), from...)
	}
	head.Add("routed", strconv.FormatBool(p.Link().Routed))
	if p.Link().Bond != 0 {
		head.Add("bond", bondText(p), ir.Origin{At: p.Link().BondAt, Why: "the cables are one link"})
	}
	if at := p.Link().FlowControlAt; at.Filename != "" {
		head.Add("flow control", flowText(p.Link()), ir.Origin{At: at})
	}
	if p.Link().Planned {
		head.Add("planned", "true", ir.Origin{At: p.Link().PlannedAt, Why: "the cable is not laid yet"})
	}
	head.addTotal(set, p)
	out := []Section{head}
	for _, b := range p.Buffers() {
		out = append(out, describeBuffer(set, b, p))
	}
	for _, m := range p.Marks() {
		out = append(out, describeMark(set, m, p))
	}
	return out
}

// describePair follows each common intent of two hosts from the first to the second.
func describePair(set *walk.Settings, f *ir.Fabric, from, to *ir.Device) ([]Section, error) {
	var out []Section
	for _, in := range f.Intents {
		a, b := memberPort(in, from), memberPort(in, to)
		if a == nil || b == nil {
			continue
		}
		s := Section{Title: fmt.Sprintf("%s: %s to %s", in.Name, a, b)}
		s.Add("RoCE version", strconv.Itoa(in.Version), ir.Origin{At: in.VersionAt})
		s.Add("cos group", fmt.Sprintf("%s, priority %d", in.Group.Name, in.Group.Cos), ir.Origin{At: in.GroupAt})
		if in.Version == 1 {
			s.Add("marked by", fmt.Sprintf("PCP in VLAN %d", in.VLAN), ir.Origin{At: in.At})
		} else if len(in.Group.DSCP) > 0 {
			s.Add("marked by", fmt.Sprintf("DSCP %d", in.Group.DSCP[0].Value), ir.Origin{At: in.Group.DSCP[0].At})
		}
		if in.CNP != nil {
			s.Add("notifications in", fmt.Sprintf("%s, priority %d", in.CNP.Name, in.CNP.Cos), ir.Origin{At: in.CNPAt})
		}
		may := func(_, _ *ir.Port) bool { return true } // a tree of links has one path
		if f.Routing != "" && in.Group.Lossless {
			turns, err := f.Routes.Turns(in.Group, ir.State{})
			if err != nil {
				s.Add("way", "not known: "+validate.RoutingText(err))
				out = append(out, s)
				continue
			}
			may = turns.Has
		}
		path := ir.Path(in.Group, a, b, may)
		if path == nil {
			s.Add("way", "the routing allows none")
		}
		for i, p := range path {
			what := "in"
			if i%2 == 0 {
				what = "out"
			}
			line := portLine(p)
			switch {
			case what == "out":
			case i == len(path)-1:
				line = "the end"
			default:
				line = entryLine(set, p, in.Group)
			}
			s.Add(fmt.Sprintf("%-3s %s", what, p), line, ir.Origin{At: p.At})
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, exit.Fail(exit.Usage, "%s and %s share no intent", from.Name, to.Name)
	}
	return out, nil
}

// entryLine returns how a port stops incoming packets of a group, and the headroom for packets that still arrive.
func entryLine(set *walk.Settings, p *ir.Port, g *ir.CosGroup) string {
	b := p.Carries(g)
	if b == nil {
		return "lossy"
	}
	what := fmt.Sprintf("priority %d", g.Cos)
	if p.ByPause() {
		what = "everything"
	}
	does := "pauses"
	switch sends, _, known := set.Pauses(p); {
	case !known:
		does = "no file states whether it pauses"
	case sends>>g.Cos&1 == 0:
		does = "does not pause"
	}
	switch r, sized := set.Room(p, b); {
	case r.Headroom.Known():
		return fmt.Sprintf("%s %s, headroom %d of %d B needed", does, what, r.Headroom.Value, r.Need)
	case !sized && p.NIC == nil && set.WasRead(p):
		return fmt.Sprintf("%s %s; no file states its headroom, %d B needed", does, what, r.Need)
	case sized:
		return fmt.Sprintf("%s %s at %d B, headroom %d of %d B needed", does, what, r.Xoff, r.Size-r.Xoff, r.Need)
	case p.NIC == nil:
		return fmt.Sprintf("%s priority %d, headroom %s", does, g.Cos, SetByHand(b.Need))
	}
	return fmt.Sprintf("pauses priority %d, sized by the NIC's driver", g.Cos)
}

// SetByHand returns the text about a headroom that others configure: the needed bytes.
func SetByHand(need int) string { return fmt.Sprintf("set by hand, %d B needed", need) }

// memberPort returns the first cabled port with which a host is a member of an intent.
func memberPort(in *ir.Intent, host *ir.Device) *ir.Port {
	for _, m := range in.Members {
		if m.NIC.Device == host && m.NIC.Port != nil {
			return m.NIC.Port
		}
	}
	return nil
}

func Metres(m float64) string { return strconv.FormatFloat(m, 'f', -1, 64) }
