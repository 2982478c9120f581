package ir

import (
	"slices"
	"time"
)

// Over reports whether the last day of the block is past, by UTC.
func (a *Accept) Over(now time.Time) bool {
	return a.Until != "" && now.UTC().Format(time.DateOnly) > a.Until
}

// acceptable describes values in which a device may differ from the fabric, and copies them from other settings. No row contains PFC, link
// pause, queues, priority groups, rewriting or the maps of values that groups claim.
type acceptable struct {
	name   string
	fields []Field
	port   func(t *taking, to, from *PortSettings, d, f *PortDetail)
}

// Fields of acceptable values.
var (
	sizes  = []Field{FieldCable, FieldBuffer, FieldXoff, FieldXon, FieldHeadroom}
	shared = []Field{FieldGroupLimit, FieldGroupPool, FieldQueueLimit, FieldQueuePool, FieldPool}
)

// acceptables has a row for each word that differs may list.
var acceptables = []acceptable{
	{"headroom", sizes, func(_ *taking, to, from *PortSettings, d, f *PortDetail) {
		to.Headroom, d.Cable = from.Headroom, f.Cable
		for i := range d.Groups {
			g, h := &d.Groups[i], &f.Groups[i]
			g.Buffer, g.Xoff, g.Xon, g.XonOffset, g.Headroom = h.Buffer, h.Xoff, h.Xon, h.XonOffset, h.Headroom
		}
	}},
	{"limits", shared, func(_ *taking, _, _ *PortSettings, d, f *PortDetail) {
		for i := range d.Groups {
			d.Groups[i].Limit, d.Groups[i].Pool = f.Groups[i].Limit, f.Groups[i].Pool
			d.Queues[i].Limit, d.Queues[i].Pool = f.Queues[i].Limit, f.Queues[i].Pool
		}
	}},
	{"maps", []Field{FieldDefaultCos}, func(t *taking, to, from *PortSettings, d, f *PortDetail) {
		for v := range to.DSCP {
			if t.dscp>>v&1 == 0 {
				to.DSCP[v] = from.DSCP[v]
			}
		}
		for v := range to.PCP {
			if t.pcp>>v&1 == 0 {
				to.PCP[v] = from.PCP[v]
			}
		}
		d.DefaultCos = f.DefaultCos
	}},
	{"marking", []Field{FieldMarking, FieldUnmarkable, FieldDrop}, func(_ *taking, to, from *PortSettings, d, f *PortDetail) {
		to.Marks, to.Marking = from.Marks, from.Marking
		for i := range d.Queues {
			q, r := &d.Queues[i], &f.Queues[i]
			q.ECN, q.MarkMin, q.MarkMax, q.Probability = r.ECN, r.MarkMin, r.MarkMax, r.Probability
			q.Unmarkable, q.Drop, q.DropMin, q.DropMax = r.Unmarkable, r.Drop, r.DropMin, r.DropMax
		}
	}},
	{"shaper", []Field{FieldShaper}, func(_ *taking, _, _ *PortSettings, d, f *PortDetail) { d.Shaper = f.Shaper }},
	{"shares", []Field{FieldStrict, FieldShare, FieldMinRate, FieldMaxRate}, func(_ *taking, to, from *PortSettings, d, f *PortDetail) {
		to.Strict, to.Share = from.Strict, from.Share
		for i := range d.Queues {
			q, r := &d.Queues[i], &f.Queues[i]
			q.Strict, q.Share, q.MinRate, q.MaxRate = r.Strict, r.Share, r.MinRate, r.MaxRate
		}
	}},
	{"trust", nil, func(_ *taking, to, from *PortSettings, _, _ *PortDetail) { // a field that is trusted without need
		if to.TrustKnown && from.TrustKnown {
			to.Trust.DSCP = to.Trust.DSCP && from.Trust.DSCP
			to.Trust.PCP = to.Trust.PCP && from.Trust.PCP
		}
	}},
	{"watchdog", []Field{FieldWatchdog}, func(_ *taking, _, _ *PortSettings, d, f *PortDetail) { d.Watchdog = f.Watchdog }},
}

// Accepts reports whether an accept block with the named values accepts all values of a field. The words maps and trust also accept some
// values of fields that they do not accept as a whole.
func Accepts(names []string, f Field) bool {
	return slices.ContainsFunc(acceptables, func(a acceptable) bool { return slices.Contains(names, a.name) && slices.Contains(a.fields, f) })
}

// taking copies the accepted values of one state of a device into another state.
type taking struct {
	rows  []acceptable
	dscp  uint64 // values that a group claims, as bits
	pcp   uint8
	alike map[[2]*PortSettings]*PortSettings
}

// Taking returns the settings is of the device with the named values copied from other settings. Values of header fields that a group
// claims, and trust in a needed field, are not copied.
func (d *Device) Taking(names []string, is, from *Settings) *Settings {
	t := &taking{alike: map[[2]*PortSettings]*PortSettings{}}
	for _, a := range acceptables {
		if slices.Contains(names, a.name) {
			t.rows = append(t.rows, a)
		}
	}
	for _, g := range d.Fabric.CosGroups {
		for _, c := range g.DSCP {
			t.dscp |= 1 << c.Value
		}
		for _, c := range g.PCP {
			t.pcp |= 1 << c.Value
		}
	}
	out := *is
	out.Rest, out.Ports = t.port(is.Rest, from.Rest), make(map[string]*PortSettings, len(is.Ports))
	for _, of := range []*Settings{is, from} {
		for name := range of.Ports {
			if p := t.port(is.Port(name), from.Port(name)); p != nil {
				out.Ports[name] = p
			}
		}
	}
	if slices.Contains(names, "limits") {
		out.Pools = from.Pools
	}
	return &out
}

func (t *taking) port(is, from *PortSettings) *PortSettings {
	if is == nil || from == nil || is == from {
		return is
	}
	of := [2]*PortSettings{is, from}
	if t.alike[of] == nil {
		to := *is
		d, f := is.Detail.Get(), from.Detail.Get()
		for _, row := range t.rows {
			row.port(t, &to, from, &d, &f)
		}
		to.Detail = NewDetail(d)
		t.alike[of] = &to
	}
	return t.alike[of]
}
