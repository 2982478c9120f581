package tools

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// card is a NIC. In its facts, -1 or an empty text means an unknown value.
type card struct {
	name   string
	stored [2]uint64 // bits of the fields whose value is stored configuration
	strong [2]uint64 // bits of the fields that have a strong value
	facts            // the running values, or those that scripts set
	weak   [systemPolicy]*facts
	dcb    map[ir.Field]int       // rows of dcb by field
	unused [systemPolicy + 1]int8 // by weakness: 1: such values are not in force; -1: unknown
}

// weakness ranks sources of values: a weaker value counts only if no stronger one is known.
type weakness int8

const (
	daemon        weakness = iota + 1 // the configuration of lldpad
	adapterPolicy                     // a policy of Windows for one adapter
	systemPolicy                      // a policy of Windows for all adapters
)

// facts contains the values of a NIC.
type facts struct {
	trust  int8 // trustPCP, trustDSCP, trustBoth or trustNone
	apps   int8 // 1: the application table has entries for DSCP; 0: it has none
	dscp   [64]int8
	pcp    [8]int8
	pfc    [8]int8 // 0 or 1
	rx, tx int8    // link pause
	kind   int8    // pauseNone, pauseLink or pausePFC: what rx and tx are about, where the tool prints it

	class, buffer   [8]int8 // by priority
	algorithm       [8]int8 // by class
	share           [8]int8 // percent
	rate            [8]int64
	size, xoff, xon [8]int
	lossy           [8]int8 // by buffer

	cable, delay, mtu int
	delays            int // the number of rows with the delay
	speed             int64
	rewriteDSCP       int8
	rewritePCP        int8
	tos, force        int // types of service: of RDMA-CM, and of all queue pairs; -2: none
	rules             []int
	driver, firmware  string
	rdma              string // its RDMA device
	vlans             [][8]int8
	mapped            bool // some row states the map of a VLAN
}

// The values of trust.
const (
	trustNone int8 = iota
	trustPCP
	trustDSCP
	trustBoth
)

// The types of pauses of a port.
const (
	pauseNone int8 = iota
	pauseLink
	pausePFC
)

// The algorithms of traffic classes.
const (
	strict int8 = iota
	ets
	vendor // the driver's own
)

var algorithms = sync.OnceValue(func() map[string]int8 {
	return map[string]int8{"strict": strict, "ets": ets, "vendor": vendor, "cbs": vendor, "cbshaper": vendor, "unknown": vendor}
})

func unknownFacts() facts {
	f := facts{
		trust: -1, apps: -1, rx: -1, tx: -1, kind: -1, cable: -1, delay: -1, mtu: -1, speed: -1, rewriteDSCP: -1, rewritePCP: -1, tos: -1,
		force: -1,
	}
	for v := range f.dscp {
		f.dscp[v] = -1
	}
	for i := range 8 {
		f.pcp[i], f.pfc[i], f.class[i], f.buffer[i], f.algorithm[i], f.share[i] = -1, -1, -1, -1, -1, -1
		f.lossy[i] = -1
		f.rate[i], f.size[i], f.xoff[i], f.xon[i] = -1, -1, -1, -1
	}
	return f
}

func newCard(name string) *card {
	return &card{name: name, facts: unknownFacts(), unused: [systemPolicy + 1]int8{-1, -1, -1, -1}}
}

// ignores reports whether policies are not in force. A statement about the NIC overrides one about the system.
func (n *card) ignores(w weakness) bool {
	if w < adapterPolicy {
		return false
	}
	return n.unused[0] == 1 || n.unused[adapterPolicy] == 1 || n.unused[adapterPolicy] < 0 && n.unused[systemPolicy] == 1
}

// forget makes the fields of a row unknown for the present NICs.
func (r *reader) forget(row *Statement) {
	unknown := unknownFacts()
	for _, f := range append([]ir.Field{row.Means}, row.More...) {
		for _, n := range r.on {
			n.forget(f, &unknown)
			for index := -1; r.h.wherever && index < 64; index++ {
				delete(r.h.places, place{n.name, f, index})
			}
		}
	}
}

// forget makes a field unknown.
func (f *facts) forget(field ir.Field, u *facts) {
	switch field {
	case ir.FieldTrust:
		f.trust, f.apps = -1, -1
	case ir.FieldDSCP:
		f.dscp = u.dscp
	case ir.FieldPCP:
		f.pcp = u.pcp
	case ir.FieldPauses:
		f.pfc = u.pfc
	case ir.FieldLinkPause:
		f.rx, f.tx, f.kind = -1, -1, -1
	case ir.FieldQueue:
		f.class = u.class
	case ir.FieldGroup:
		f.buffer = u.buffer
	case ir.FieldStrict:
		f.algorithm = u.algorithm
	case ir.FieldShare:
		f.share = u.share
	case ir.FieldMaxRate:
		f.rate = u.rate
	case ir.FieldBuffer:
		f.size, f.lossy = u.size, u.lossy
	case ir.FieldXoff:
		f.xoff = u.xoff
	case ir.FieldXon:
		f.xon = u.xon
	case ir.FieldCable:
		f.cable, f.delay = -1, -1
	case ir.FieldMTU:
		f.mtu = -1
	case ir.FieldSpeed:
		f.speed = -1
	case ir.FieldRewrite:
		f.rewriteDSCP, f.rewritePCP = -1, -1
	case ir.FieldStamps:
		f.tos, f.force, f.rules = -1, -1, nil
	case ir.FieldVLANMap:
		f.vlans = nil
	}
}

// put sets a value of the present NICs.
func put[T any](r *reader, f ir.Field, index int, value T, at func(*facts) *T) {
	for _, n := range r.on {
		to := &n.facts
		if r.weak > 0 {
			if n.weak[r.weak-1] == nil {
				all := unknownFacts()
				n.weak[r.weak-1] = &all
			}
			to = n.weak[r.weak-1]
		}
		*at(to) = value
		n.note(r, f, index)
	}
}

// note records the place of a value, and whether it is stored.
func (n *card) note(r *reader, f ir.Field, index int) {
	bit := uint64(1) << (f % 64)
	if r.weak == 0 {
		n.strong[f/64] |= bit
	} else if n.strong[f/64]&bit != 0 {
		return
	}
	if r.stored || r.weak >= adapterPolicy {
		n.stored[f/64] |= bit
	} else {
		n.stored[f/64] &^= bit
	}
	if r.h.wherever {
		r.h.places[place{n.name, f, index}] = r.at()
	}
}

// merge replaces unknown values by weaker ones.
func (f *facts) merge(w *facts) {
	fill := func(to, from []int8) {
		for i := range to {
			if to[i] < 0 {
				to[i] = from[i]
			}
		}
	}
	for _, pair := range [][2][]int8{
		{f.dscp[:], w.dscp[:]}, {f.pfc[:], w.pfc[:]}, {f.class[:], w.class[:]}, {f.algorithm[:], w.algorithm[:]}, {f.share[:], w.share[:]},
	} {
		if !slices.ContainsFunc(pair[0], func(v int8) bool { return v >= 0 }) {
			fill(pair[0], pair[1])
		}
	}
	if f.trust < 0 {
		f.trust = w.trust
	}
	if f.force == -1 {
		f.force = w.force
	}
}

// mellanox reports whether the driver of the NIC is mlx5 or mlx4, whose rules about DSCP and delay are known.
func (n *card) mellanox(family string) bool {
	return strings.HasPrefix(n.driver, family) || n.driver == "" && strings.HasPrefix(n.rdma, family+"_")
}

// by reports whether a driver is that of the NIC. Its RDMA device has the name of the driver, or "qedr" for qede.
func (n *card) by(driver string) bool {
	return n.driver == driver || n.driver == "" && strings.HasPrefix(n.rdma, strings.TrimSuffix(driver, "e"))
}

// settings returns the settings of the NIC in the common form of all devices.
func (n *card) settings() ir.PortSettings {
	for i, w := range n.weak {
		if w != nil && !n.ignores(weakness(i+1)) {
			n.merge(w)
		}
	}
	p, d := ir.UnknownPort(), ir.UnknownDetail()
	n.sort(&p)
	n.pause(&p, &d)
	n.schedule(&p, &d)
	for i := range 8 {
		d.Group[i] = n.buffer[i]
		d.Groups[i].Buffer = known(n.size[i])
		if n.xoff[i] > 0 { // xoff and xon of a lossy buffer are 0 (Linux, mlx5/core/en/port_buffer.c: update_xoff_threshold)
			d.Groups[i].Xoff, d.Groups[i].Xon = known(n.xoff[i]), known(n.xon[i])
		}
		if n.lossy[i] >= 0 {
			d.Groups[i].Lossless = ir.Of(n.lossy[i] == 0)
		}
	}
	d.MTU, d.Cable, d.Speed = known(n.mtu), known(n.cable), known(n.speed)
	if n.cable < 0 && n.delay > 0 && n.mellanox("mlx5") {
		d.Cable = ir.Of(n.delay)
	}
	if d.Cable.Value == 0 {
		d.Cable = ir.Setting[int]{}
	}
	if n.rewriteDSCP >= 0 {
		d.RewriteDSCP = ir.Of(n.rewriteDSCP == 1)
	}
	if n.rewritePCP >= 0 {
		d.RewritePCP = ir.Of(n.rewritePCP == 1)
	}
	for _, tos := range append([]int{n.tos, n.force}, n.rules...) {
		if tos >= 0 {
			p.Stamps |= 1 << (tos >> 2) // the DSCP is the upper six bits
		}
	}
	if vlans := slices.Compact(n.vlans); len(vlans) == 1 {
		if d.VLANMap = ir.Of(vlans[0]); !n.mapped {
			d.VLANMap.Is = ir.Default
		}
	}
	p.Detail = ir.NewDetail(d)
	return p
}

// sort fills in the priorities of values of header fields. The rule that an entry for DSCP means trust is from mlx5 (Linux,
// mlx5/core/en_dcbnl.c: mlx5e_dcbnl_ieee_setapp and _delapp).
func (n *card) sort(p *ir.PortSettings) {
	trust := n.trust
	if trust < 0 && n.apps >= 0 && n.mellanox("mlx5") {
		trust = [...]int8{trustPCP, trustDSCP}[n.apps]
	}
	if trust >= 0 {
		p.TrustKnown = true
		p.Trust = ir.Trust{PCP: trust == trustPCP || trust == trustBoth, DSCP: trust == trustDSCP || trust == trustBoth}
	}
	p.DSCP, p.PCP = n.dscp, n.pcp
	if trust == trustPCP && n.pcp == unknownFacts().pcp {
		for v := range p.PCP {
			p.PCP[v] = int8(v) // a NIC uses the PCP as the priority
		}
	}
}

// pause fills in PFC and link pause. With a mask of zeros it is unknown whether the NIC has link pause.
func (n *card) pause(p *ir.PortSettings, d *ir.PortDetail) {
	mask, all := uint8(0), true
	for prio, on := range n.pfc {
		all = all && on >= 0
		if on == 1 {
			mask |= 1 << prio
		}
	}
	if all {
		d.PFC = ir.Of(mask)
	}
	link := n.rx == 1 || n.tx == 1
	linked := n.rx >= 0 && n.tx >= 0
	switch {
	case n.by("ionic") && (n.kind < 0 || !linked || n.kind == pausePFC && !all): // pauses of an unknown type
	case n.by("ionic"):
		n.pauseByType(mask, p)
	case all && mask != 0 && !link:
		p.Sends, p.Obeys, p.PausesKnown = mask, mask, true
	case linked && !link && all:
		p.PausesKnown = true
	case linked && link && mask == 0:
		p.LinkPause, p.PausesKnown = true, true
		if n.rx == 1 {
			p.Obeys = 0xff
		}
		if n.tx == 1 {
			p.Sends = 0xff
		}
	}
}

// pauseByType fills in PFC and link pause of a NIC whose directions of pauses are those of the type of its port.
func (n *card) pauseByType(mask uint8, p *ir.PortSettings) {
	var sends, obeys uint8
	switch n.kind {
	case pausePFC:
		sends, obeys = mask, mask
	case pauseLink:
		sends, obeys = 0xff, 0xff
	}
	if n.tx != 1 {
		sends = 0
	}
	if n.rx != 1 {
		obeys = 0
	}
	p.Sends, p.Obeys, p.PausesKnown = sends, obeys, true
	p.LinkPause = n.kind == pauseLink && sends|obeys != 0
}

// schedule fills in traffic classes, and the values that priorities get from their class.
func (n *card) schedule(p *ir.PortSettings, d *ir.PortDetail) {
	for tc := range 8 {
		q := &d.Queues[tc]
		q.MaxRate = known(n.rate[tc])
		switch n.algorithm[tc] {
		case strict:
			q.Strict = ir.Of(true)
		case ets:
			q.Strict = ir.Of(false)
			q.Share = known(int(n.share[tc]))
		}
	}
	for prio, tc := range n.class {
		if d.Queue[prio] = tc; tc < 0 {
			continue
		}
		if q := d.Queues[tc]; q.Strict.Value {
			p.Strict |= 1 << prio
		} else if q.Share.Known() {
			p.Share[prio] = uint8(q.Share.Value)
		}
	}
}

// known returns a stated value; a negative number is unknown.
func known[T int | int64](v T) ir.Setting[T] {
	if v < 0 {
		return ir.Setting[T]{}
	}
	return ir.Of(v)
}

// settings returns the settings of the host in the common form of all devices.
func (h *host) settings() *ir.Settings {
	out := &ir.Settings{Ports: make(map[string]*ir.PortSettings, len(h.nics))}
	alike := map[ir.PortSettings]*ir.PortSettings{}
	stored, running := false, false
	add := func(name string, p ir.PortSettings) {
		if alike[p] == nil {
			alike[p] = &p
		}
		out.Ports[name] = alike[p]
	}
	drivers, versions := map[string]bool{}, map[string]bool{}
	for name, n := range h.nics {
		p := n.settings()
		if v, ok := h.values[name]; ok {
			stored = stored || v.stored
			p = over(v.settings, p)
		}
		add(name, p)
		drivers[n.driver], versions[n.firmware] = true, true
		set := bits.OnesCount64(n.stored[0]) + bits.OnesCount64(n.stored[1])
		stored, running = stored || set > 0, running || set == 0
	}
	for name, v := range h.values {
		if h.nics[name] == nil {
			add(name, v.settings)
			stored, running = stored || v.stored, running || !v.stored
		}
	}
	list := func(words map[string]bool) ir.Setting[string] {
		delete(words, "")
		if len(words) == 0 {
			return ir.Setting[string]{}
		}
		return ir.Of(strings.Join(slices.Sorted(maps.Keys(words)), ", "))
	}
	out.System.Driver, out.System.Firmware = list(drivers), list(versions)
	switch {
	case stored:
		out.Moment = ir.Stored
	case running:
		out.Moment = ir.Running
	}
	return out
}

// over replaces values from a NIC's value file by printed ones.
func over(file, printed ir.PortSettings) ir.PortSettings {
	out := printed
	if !out.TrustKnown {
		out.Trust, out.TrustKnown = file.Trust, file.TrustKnown
	}
	for v := range out.DSCP {
		out.DSCP[v] = cmp.Or(out.DSCP[v]+1, file.DSCP[v]+1) - 1
	}
	for v := range out.PCP {
		out.PCP[v] = cmp.Or(out.PCP[v]+1, file.PCP[v]+1) - 1
	}
	if !out.PausesKnown {
		out.Sends, out.Obeys, out.LinkPause, out.PausesKnown = file.Sends, file.Obeys, file.LinkPause, file.PausesKnown
	}
	if out.Strict == 0 && out.Share == [8]uint8{} {
		out.Strict, out.Share = file.Strict, file.Share
	}
	if out.Stamps == 0 {
		out.Stamps = file.Stamps
	}
	a, b := file.Detail.Get(), printed.Detail.Get()
	for i := range 8 {
		b.Queue[i] = cmp.Or(b.Queue[i]+1, a.Queue[i]+1) - 1
		b.Queues[i].Strict, b.Queues[i].Share = either(b.Queues[i].Strict, a.Queues[i].Strict), either(b.Queues[i].Share, a.Queues[i].Share)
	}
	b.Cable, b.MTU, b.PFC, b.VLANMap = either(b.Cable, a.Cable), either(b.MTU, a.MTU), either(b.PFC, a.PFC), either(b.VLANMap, a.VLANMap)
	out.Detail = ir.NewDetail(b)
	return out
}

func either[T comparable](a, b ir.Setting[T]) ir.Setting[T] {
	if a.Known() {
		return a
	}
	return b
}

// finish gives NICs the values of their VLANs, bonds and RDMA devices.
func (h *host) finish() {
	for _, device := range slices.Sorted(maps.Keys(h.netdevs)) {
		if n := h.nics[h.netdevs[device]]; n != nil && isRDMA(device) {
			n.rdma = cmp.Or(n.rdma, device)
			n.firmware = cmp.Or(n.firmware, h.firmware[device])
		}
	}
	h.join()
	for _, n := range h.nics {
		for ; n.delays > 0 && n.delay > 0 && !n.mellanox("mlx5"); n.delays-- {
			h.coverage.Means[ir.FieldCable]--
			h.coverage.Rows--
			h.coverage.Leave("only mlx5 uses the delay of PFC as metres")
		}
		if n.by("qede") {
			n.disbelieve(&h.coverage)
		}
	}
}

// disbelieve makes values unknown that qede does not pass to its card. The kernel's table keeps a DSCP that the driver refuses
// (qede_dcbnl.c: qede_dcbnl_ieee_setapp; qed_dcbx.c: qed_get_sf_ieee_value). The driver accepts PFC and ETS, and only keeps them: every
// setter of IEEE calls qed_dcbx_config_params without hw_commit. dcb show prints the values of the firmware, which count.
func (n *card) disbelieve(read *target.Coverage) {
	unknown := unknownFacts()
	for f, rows := range n.dcb {
		why := "qede gives the card no map from DSCP: only the kernel's table has it"
		if f != ir.FieldDSCP {
			if n.stored[f/64]&(1<<(f%64)) == 0 {
				continue
			}
			why = "qede accepts the command, and passes nothing to the card"
		}
		n.forget(f, &unknown)
		read.Means[f] -= rows
		read.Rows -= rows
		for range rows {
			read.Leave(why)
		}
	}
}

// isRDMA reports whether a device is named as an RDMA device, and not by a PCI address or a number.
func isRDMA(device string) bool {
	return device != "" && (device[0] < '0' || device[0] > '9') && !strings.Contains(device, ":")
}

// isName reports whether a word may be the name of an interface (Linux: dev_valid_name).
func isName(word string) bool {
	return word != "" && len(word) < 16 && word != "." && word != ".." && !strings.ContainsAny(word, "/: \t*$%'\"`(){}<>|;&=,")
}
