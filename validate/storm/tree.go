package storm

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/rocec/rocec/compiler/ir"
)

// mostOrigins is the number of origins and circles for which the ports that wait are listed. A real network has one or a few.
const mostOrigins = 100

// Judge finds who pauses whom, and where that begins. Two windows need three readings. Readings are in the order of their time.
func Judge(f *ir.Fabric, readings []Reading) *Pauses {
	j := newJudging(f, readings)
	out := &Pauses{Windows: max(len(readings)-1, 0), Length: j.shortest(), Why: map[*ir.Device]string{}, Untimed: j.untimed}
	j.cover(out)
	t := &tree{
		judging: j, out: out, to: make([][]int32, len(j.channels)), marks: make([]mark, len(j.channels)),
		rooted: map[rootKey]int{}, hidden: map[hideKey]int{},
		dogs: watchdogs{readings: readings, wanted: map[*ir.Device]*ir.Settings{}},
	}
	for i := range j.channels {
		if c := &j.channels[i]; c.exists && c.active() {
			t.explain(i)
		}
	}
	t.spread()
	t.circles()
	t.collect()
	return out
}

// shortest returns the length of the shortest window.
func (j *judging) shortest() (least time.Duration) {
	for _, w := range j.length {
		for _, l := range w {
			if l > 0 && (least == 0 || l < least) {
				least = l
			}
		}
	}
	return least
}

// cover counts the channels that were read, and lists the devices without counters.
func (j *judging) cover(out *Pauses) {
	for i := range j.channels {
		switch c := &j.channels[i]; {
		case !c.exists:
			continue
		case c.known:
			out.Judged++
		case len(out.Missing) == 0 || out.Missing[len(out.Missing)-1] != c.port:
			out.Missing = append(out.Missing, c.port)
		}
		out.Ports++
	}
	for _, d := range j.f.Devices {
		why, silent := "", false
		for _, r := range j.readings {
			switch of := r[d]; {
			case of == nil:
				silent = true
			case of.Failed != "":
				why, silent = of.Failed, true
			}
		}
		if why == "" {
			why = j.unread(d)
		}
		if silent {
			out.Silent = append(out.Silent, d)
		}
		if why != "" {
			out.Why[d] = why
		}
	}
}

// unread returns why counters of a device are missing, by the first reading that states it.
func (j *judging) unread(d *ir.Device) string {
	for _, r := range j.readings {
		if of := r[d]; of != nil && of.Unread != "" {
			return of.Unread
		}
	}
	return ""
}

// mark is the known cause of a channel's pauses.
type mark uint8

// The marks, which a channel can have together.
const (
	toOrigin mark = 1 << iota // it is, or waits for, an origin
	toHidden                  // it waits for a place where nothing was read
	toSender                  // it waits for a queue that sends
	inCircle                  // it is in a circle that has locked, or waits for one
)

// tree is the tree of pauses.
type tree struct {
	*judging
	out   *Pauses
	to    [][]int32 // by channel: the channels for which it waits
	marks []mark
	roots []root
	rings [][]int32
	dogs  watchdogs

	rooted map[rootKey]int // the index in roots
	hidden map[hideKey]int // the index in Hidden
}

// rootKey identifies a root.
type rootKey struct {
	kind OriginKind
	at   int
}

// hideKey identifies a place of the result.
type hideKey struct {
	why    Doubt
	device *ir.Device
	cos    int
}

// root is an origin before the ports behind it are known.
type root struct {
	kind     OriginKind
	at       int   // the channel of the origin: the port that the host pauses, the queue, or the port that the switch pauses
	channels []int // that wait for it first
}

// drains calls use for each channel by which a device drains the buffer that pauses channel i.
func (j *judging) drains(i int, use func(drain int)) {
	k := i % len(j.cos)
	in := j.channels[i].port.Peer()
	for _, p := range in.Device().Ports {
		if p == in {
			continue
		}
		if c := j.id(p, k); j.channels[c].exists {
			use(c)
		}
		if b := j.bounce[k]; b >= 0 && j.channels[j.id(p, b)].exists {
			use(j.id(p, b))
		}
	}
}

// explain finds why the other end of a channel pauses it.
func (t *tree) explain(i int) {
	c := &t.channels[i]
	by := c.port.Peer()
	if !by.Device().Forwards() {
		t.host(i)
		return
	}
	var stuck, unread, dark, idle []int
	waits, sender := false, false
	t.drains(i, func(n int) {
		d := &t.channels[n]
		switch {
		case d.full() || d.active() && d.open():
			t.to[i] = append(t.to[i], int32(n))
			waits = waits || d.full()
		case d.open() && d.sends != yes && d.holds != no:
			unread = append(unread, n)
		case d.sends == yes:
			sender = true
		case d.sends == no && d.holds == yes:
			stuck = append(stuck, n)
		case d.sends == no:
			idle = append(idle, n)
		case d.holds != no:
			dark = append(dark, n)
		}
	})
	for _, n := range stuck {
		if c.open() {
			t.root(QueueHolds, n, i)
		}
	}
	silent := t.silent(by.Device())
	switch {
	case !c.open(), len(stuck) > 0, waits:
	case len(unread) > 0 && silent:
		t.hide(NoAnswer, i, by.Device(), nil)
	case len(unread) > 0:
		t.hide(NoPauses, i, by.Device(), unread)
	case len(t.to[i]) > 0: // frames alone show whether those ports wait
	case sender:
		t.marks[i] |= toSender
	case t.returns(i): // a routing loop between two devices
	case silent:
		t.hide(NoAnswer, i, by.Device(), nil)
	case len(dark) > 0:
		t.hide(NoProgress, i, by.Device(), dark)
	case c.full() && len(idle) > 0:
		if n := t.only(idle); n >= 0 {
			t.root(QueueHolds, n, i)
		} else {
			t.root(SwitchPauses, i, i)
		}
	case !c.full():
		t.hide(c.doubt(), i, by.Device(), []int{i})
	default:
		t.hide(NoProgress, i, by.Device(), nil)
	}
}

// only returns the one of the queues that can hold the bytes of a buffer that does not drain, because the others are empty; -1: none or
// several can.
func (t *tree) only(queues []int) int {
	out := -1
	for _, n := range queues {
		switch {
		case t.channels[n].holds == no:
		case out >= 0:
			return -1
		default:
			out = n
		}
	}
	return out
}

// returns reports whether a channel can wait for the other direction of its cable, and then makes it wait.
func (t *tree) returns(i int) bool {
	back := t.id(t.channels[i].port.Peer(), i%len(t.cos))
	if b := &t.channels[back]; !b.exists || !b.full() {
		return false
	}
	t.to[i] = append(t.to[i], int32(back))
	return true
}

// host judges a channel that a host pauses.
func (t *tree) host(i int) {
	switch c := &t.channels[i]; {
	case c.full():
		t.root(HostPauses, i, i)
	case c.open():
		t.hide(c.doubt(), i, c.port.Peer().Device(), []int{i})
	}
}

// silent reports whether a device did not answer in a reading.
func (t *tree) silent(d *ir.Device) bool {
	return slices.ContainsFunc(t.readings, func(r Reading) bool { return r[d] == nil || r[d].Failed != "" })
}

// root records an origin. With one window it is only a place where an origin may be.
func (t *tree) root(kind OriginKind, at, first int) {
	if t.out.Windows < 2 {
		of := t.channels[at].port
		if kind != QueueHolds {
			of = of.Peer()
		}
		t.hide(OneWindow, first, of.Device(), []int{at})
		return
	}
	key := rootKey{kind, at}
	if n, found := t.rooted[key]; found {
		t.roots[n].channels = append(t.roots[n].channels, first)
	} else {
		t.rooted[key] = len(t.roots)
		t.roots = append(t.roots, root{kind, at, []int{first}})
	}
	t.marks[first] |= toOrigin
}

// hide records a place where an origin may be.
func (t *tree) hide(why Doubt, from int, d *ir.Device, ports []int) {
	t.marks[from] |= toHidden
	cos := t.channels[from].cos
	n, found := t.hidden[hideKey{why, d, cos}]
	if !found {
		n = len(t.out.Hidden)
		t.hidden[hideKey{why, d, cos}] = n
		t.out.Hidden = append(t.out.Hidden, Hidden{Why: why, Device: d, Cos: cos})
	}
	for _, i := range ports {
		if p := t.channels[i].port; !slices.Contains(t.out.Hidden[n].Ports, p) {
			t.out.Hidden[n].Ports = append(t.out.Hidden[n].Ports, p)
		}
	}
}

// before returns the channels that wait for each channel.
func (t *tree) before() [][]int32 {
	out := make([][]int32, len(t.channels))
	for i, all := range t.to {
		for _, n := range all {
			out[n] = append(out[n], int32(i))
		}
	}
	return out
}

// spread marks the channels that wait for marked ones.
func (t *tree) spread() {
	before := t.before()
	var todo []int32
	for i := range t.marks {
		if t.marks[i] != 0 {
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range before[n] {
			if t.marks[n]&^t.marks[i] != 0 {
				t.marks[i] |= t.marks[n]
				todo = append(todo, i)
			}
		}
	}
}

// behind returns the channels that wait for the first ones, the nearest first, without them.
func (t *tree) behind(before [][]int32, first []int) []int {
	seen := map[int]bool{}
	for _, i := range first {
		seen[i] = true
	}
	out := slices.Clone(first)
	for at := 0; at < len(out); at++ {
		for _, i := range before[out[at]] {
			if !seen[int(i)] {
				seen[int(i)] = true
				out = append(out, int(i))
			}
		}
	}
	return out
}

// victims returns the ports of channels and the hosts among them, and the ports with a watchdog.
func (t *tree) victims(channels []int) (waits []PausedPort, hosts []*ir.Device, dogs []Watchdog) {
	met := map[*ir.Device]bool{}
	for _, i := range channels {
		c := &t.channels[i]
		waits = append(waits, t.wait(i))
		if d := c.port.Device(); !d.Forwards() && !met[d] {
			met[d] = true
			hosts = append(hosts, d)
		}
		if by := t.dogs.at(c); by != "" {
			dogs = append(dogs, Watchdog{c.port, by})
		}
	}
	slices.SortFunc(hosts, func(a, b *ir.Device) int { return cmp.Compare(a.ID, b.ID) })
	return waits, hosts, dogs
}

// collect completes the result.
func (t *tree) collect() {
	before := t.before()
	t.origins(before)
	t.locks(before)
	out, met := t.out, map[*ir.Port]bool{}
	for i := range t.channels {
		c := &t.channels[i]
		if !c.exists {
			continue
		}
		if c.active() {
			out.Waits = append(out.Waits, t.wait(i))
		}
		if c.cutting {
			out.Cutting = append(out.Cutting, t.wait(i))
		}
		if c.cut {
			out.Cut = append(out.Cut, t.wait(i))
		}
		if t.marks[i]&toSender != 0 && len(t.to[i]) == 0 {
			t.drains(i, func(n int) {
				if d := &t.channels[n]; d.sends == yes && !d.full() && !met[d.port] {
					met[d.port] = true
					out.Congested = append(out.Congested, d.port)
				}
			})
		}
	}
	slices.SortFunc(out.Congested, func(a, b *ir.Port) int { return cmp.Compare(a.ID, b.ID) })
	sort.SliceStable(out.Waits, func(a, b int) bool {
		x, y := &out.Waits[a], &out.Waits[b]
		return cmp.Or(cmp.Compare(y.Least, x.Least), cmp.Compare(y.Frames, x.Frames)) < 0
	})
	switch {
	case len(out.Origins) > 0:
		out.Verdict = Storm
	case len(out.Locks) > 0:
		out.Verdict = Lock
	case len(out.Hidden) > 0:
		out.Verdict = Unknown
	case len(out.Waits) > 0:
		out.Verdict = Short
	case out.Judged == 0:
		out.Verdict = Unread
	default:
		out.Verdict = Quiet
	}
}

// origins completes the origins, those with the most ports behind them first.
func (t *tree) origins(before [][]int32) {
	for n, r := range t.roots {
		c := &t.channels[r.at]
		o := OriginPort{Kind: r.kind, Port: c.port, Cos: c.cos, Least: 1}
		if r.kind != QueueHolds {
			o.Port = c.port.Peer()
		}
		slices.Sort(r.channels)
		for _, i := range r.channels {
			o.Least = min(o.Least, t.channels[i].least)
		}
		o.Counters = t.samples(r.at)
		if n >= mostOrigins {
			t.out.More++
		} else {
			o.Waits, o.Hosts, o.Watchdogs = t.victims(t.behind(before, r.channels))
		}
		t.out.Origins = append(t.out.Origins, o)
	}
	sort.SliceStable(t.out.Origins, func(a, b int) bool { return len(t.out.Origins[a].Waits) > len(t.out.Origins[b].Waits) })
}

// locks completes the circles that have locked.
func (t *tree) locks(before [][]int32) {
	for n, ring := range t.rings {
		var own []int
		one := Circle{Cos: t.channels[ring[0]].cos}
		for _, i := range ring {
			own = append(own, int(i))
			one.Waits = append(one.Waits, t.wait(int(i)))
		}
		if n >= mostOrigins {
			t.out.More++
		} else {
			all := t.behind(before, own)
			one.Ports = len(all) - len(own)
			_, one.Hosts, _ = t.victims(all)
		}
		t.out.Locks = append(t.out.Locks, one)
	}
}
