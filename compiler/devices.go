package compiler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// devices makes every switch and host, in natural order of names, and the parts of a single device: model, release, NICs, bonds, login.
func (c *compiler) devices() {
	n := len(c.src.Switches) + len(c.src.Hosts)
	c.named = make(map[string]*ir.Device, n)
	c.hostGroup = map[string][]*ir.Device{}
	c.f.Devices = make([]*ir.Device, 0, n)

	pool := make([]ir.Device, n)
	switches := make([]ir.Switch, len(c.src.Switches))
	hands := byHand{}
	var places devicePlaces
	for i, s := range c.src.Switches {
		d := &pool[i]
		*d = ir.Device{
			Name: s.Name, Group: s.Group, Switch: &switches[i], SSH: c.login(s.SSH), ByHand: hands.of(s.ByHand), Maintenance: s.Maintenance.V,
			Site: s.Site.V,
		}
		d.DevicePlaces = places.of(ir.DevicePlaces{
			At: s.NameAt, Decl: s.Decl, SSHAt: loginAt(s.SSH), MaintenanceAt: s.Maintenance.At,
			WrittenByAt: c.writtenBy(d, s.WrittenBy, lang.Value[string]{}),
		})
		c.switchSettings(d, s)
		c.add(d)
	}
	hosts := make([]ir.Host, len(c.src.Hosts))
	nics := c.newNICs()
	for i, h := range c.src.Hosts {
		d := &pool[len(c.src.Switches)+i]
		*d = ir.Device{
			Name: h.Name, Group: h.Group, Host: &hosts[i], SSH: c.login(h.SSH), ByHand: hands.of(h.ByHand), Maintenance: h.Maintenance.V,
			Site: h.Site.V,
		}
		d.DevicePlaces = places.of(ir.DevicePlaces{
			At: h.NameAt, Decl: h.Decl, SSHAt: loginAt(h.SSH), MaintenanceAt: h.Maintenance.At,
			WrittenByAt: c.writtenBy(d, h.WrittenBy, c.src.Fabric.WrittenBy),
		})
		nics.host(d, h)
		c.add(d)
		c.hostGroup[d.Group] = append(c.hostGroup[d.Group], d)
	}

	slices.SortFunc(c.f.Devices, func(a, b *ir.Device) int { return nodeset.Compare(a.Name, b.Name) })
	names := make([]string, len(c.f.Devices))
	for i, d := range c.f.Devices {
		d.ID = i
		names[i] = d.Name
	}
	c.nameNear = newSpeller(names)

	for _, a := range c.src.Accepts { // of switches that rocec reads
		of := &ir.Accept{At: a.Decl, Reason: a.Reason.V, By: a.By.V, Until: a.Until.V}
		for _, name := range a.Differs {
			of.Differs = append(of.Differs, name.V)
		}
		for _, named := range a.Devices {
			d := c.named[named.Name]
			if !named.Glob {
				d = c.device(named.Name, *named.At, "")
			}
			if d != nil && d.Switch != nil && d.ByHand == nil {
				of.Devices = append(of.Devices, d)
			}
		}
		slices.SortFunc(of.Devices, func(x, y *ir.Device) int { return x.ID - y.ID })
		of.Devices = slices.Compact(of.Devices)
		c.f.Accepts = append(c.f.Accepts, of)
	}
}

// devicePlaces shares one value among devices of a block, whose places are equal.
type devicePlaces struct{ last *ir.DevicePlaces }

func (p *devicePlaces) of(places ir.DevicePlaces) *ir.DevicePlaces {
	if p.last == nil || *p.last != places {
		p.last = &places
	}
	return p.last
}

// add adds a device to the fabric. Package lang guarantees unique names.
func (c *compiler) add(d *ir.Device) {
	d.Fabric = c.f
	if c.named[d.Name] != nil {
		panic(fmt.Sprintf("compiler: two devices are called %q", d.Name))
	}
	c.named[d.Name] = d
	c.f.Devices = append(c.f.Devices, d)
}

// login returns the device's ssh settings: its own block, then the fabric's for values that it omits. The address comes only from its own
// block.
func (c *compiler) login(own *lang.SSH) ir.SSH {
	all := &c.src.SSH
	if own == nil {
		own = &lang.SSH{}
	}
	pick := func(own, all lang.Value[string]) string { return own.Or(all.V) }
	return ir.SSH{
		Address:   own.Address.V,
		Port:      own.Port.Or(all.Port.V),
		User:      pick(own.User, all.User),
		Jump:      pick(own.Jump, all.Jump),
		HostKey:   pick(own.HostKey, all.HostKey),
		Transport: pick(own.Transport, all.Transport),
	}
}

// loginAt returns the place of the block that sets how a device is reached.
func loginAt(own *lang.SSH) diag.Range {
	if own == nil {
		return diag.Range{}
	}
	return diag.FirstPlace(own.Address.At, own.Decl)
}

func (c *compiler) switchSettings(d *ir.Device, s *lang.Switch) {
	w := d.Switch
	w.Model, w.ModelAt = c.switchNamed(s.Model, s.Decl), diag.FirstPlace(s.Model.At, s.Decl)
	w.OS, w.OSAt = s.OS.V, s.OS.At
	w.Version, w.VersionAt = s.Version.V, diag.FirstPlace(s.Version.At, s.Decl)
	w.ASN, w.MLAG, w.MLAGAt = s.ASN.V, s.MLAG.V, s.MLAG.At
	if s.HeadroomPool.V > 0 { // 0 means no pool
		w.HeadroomPool = written(s.HeadroomPool, "headroom_pool")
	}
	os := c.system(d)
	if w.OS != "" && os != nil {
		w.OS = os.Name // the canonical spelling
	}
	if d.ByHand == nil { // a device set by hand has only written values
		w.OSAt = diag.FirstPlace(s.OS.At, s.Decl)
		if w.OS == "" && os != nil {
			w.OS = os.Name
		}
	}
	w.AcceptDocumented = s.AcceptDocumented.V
	w.MemoryWritten, w.MemoryAt = s.Memory.V == "written" && d.ByHand == nil, s.Memory.At
	if s.Memory.Set() && d.ByHand != nil {
		c.report.errorf(topicMemoryByHand, s.Memory.At, d.Name, "The switch block says memory = %q, and its by_hand block says that others set "+
			"the switch: rocec writes nothing there. Delete one of the two.", s.Memory.V)
	}
	w.Can = ir.ChipCan()
	if os != nil && w.Model != nil && w.Model.ASIC != nil {
		w.Can = os.Can(w.Model.ASIC, w.Version)
		if os.Memory != nil {
			asIs := os.Memory(w.Model.ASIC, w.Version, false)
			w.Can.Memory = asIs
			if w.MemoryWritten {
				w.Can.Memory = cmp.Or(os.Memory(w.Model.ASIC, w.Version, true), asIs)
			}
		}
	}
	if s.Version.Set() && d.ByHand == nil && os != nil {
		if wrong := os.Release(w.Version); wrong != "" {
			c.report.errorf(topicVersionInvalid, w.VersionAt, d.Name, "%s", wrong)
		}
	}
	c.config(d, s, os)
	c.preset(d, s, os)
	if os != nil && os.Adds != nil && d.ByHand == nil && w.Model != nil && w.Model.ASIC != nil {
		w.Added = os.Adds(w)
	}
	if os != nil && os.Marks != nil {
		w.Can.Marks, w.Can.MarksWhy = os.Marks(w.Version, w.Config)
	}
	if s.Tier.Set() {
		w.Tier, w.TierFrom = s.Tier.V, ir.Origin{At: s.Tier.At, Why: fmt.Sprintf("tier = %d", s.Tier.V)}
		if w.Tier < 1 {
			c.report.errorf(topicTierInvalid, s.Tier.At, d.Name, "A tier is 1 or more, counted from the switches with hosts; "+
				"%d is below them. Correct or delete the tier.", w.Tier)
		}
	}
}

// system returns the operating system of a switch: the one it names, or the default; nil: no target knows it.
func (c *compiler) system(d *ir.Device) *ir.OS {
	if d.Switch.OS == "" {
		return c.known.DefaultOS()
	}
	return c.known.FindOS(d.Switch.OS)
}

// nicMaker makes NICs; hosts of one group share nic blocks, so each block is resolved once.
type nicMaker struct {
	c      *compiler
	known  map[*lang.NIC]*ir.NIC
	places map[ir.NICPlaces]*ir.NICPlaces // shared even by blocks that have different values for every host
	pool   []ir.NIC
}

func (c *compiler) newNICs() *nicMaker {
	return &nicMaker{c: c, known: map[*lang.NIC]*ir.NIC{}, places: map[ir.NICPlaces]*ir.NICPlaces{}}
}

func (m *nicMaker) host(d *ir.Device, h *lang.Host) {
	d.Host.Forwards, d.Host.ForwardsAt = h.Forwards.V, h.Forwards.At
	d.Host.NICs = make([]*ir.NIC, 0, len(h.NICs))
	for _, n := range h.NICs {
		nic := m.make(n)
		nic.Device = d
		d.Host.NICs = append(d.Host.NICs, nic)
	}
	slices.SortFunc(d.Host.NICs, func(a, b *ir.NIC) int { return nodeset.Compare(a.Name, b.Name) })
	for _, b := range h.Bonds {
		m.bond(d, b)
	}
}

// make copies the NIC of a block for one more host.
func (m *nicMaker) make(n *lang.NIC) *ir.NIC {
	of := m.known[n]
	if of == nil {
		of = m.nic(n)
		m.known[n] = of
	}
	if len(m.pool) == 0 {
		m.pool = make([]ir.NIC, 1024)
	}
	nic := &m.pool[0]
	m.pool = m.pool[1:]
	*nic = *of
	return nic
}

func (m *nicMaker) nic(n *lang.NIC) *ir.NIC {
	at := ir.NICPlaces{
		At: n.Decl, ModelAt: diag.FirstPlace(n.Model.At, n.Decl),
		MTUAt: n.MTU.At, IPAt: n.IP.At, TTLAt: n.TTL.At, TOSAt: n.TOS.At,
		VLANAt: diag.FirstPlace(n.CreateVLAN.At, n.VLANIP.At),
	}
	if m.places[at] == nil {
		kept := at
		m.places[at] = &kept
	}
	nic := &ir.NIC{
		NICPlaces: m.places[at], Name: n.Name, Model: m.c.nicNamed(n.Model, n.Decl),
		MTU: n.MTU.V, IP: n.IP.V, TTL: n.TTL.Or(-1), TOS: n.TOS.Or(-1), RoCE: n.RoCE.Or(true),
		CreateVLAN: n.CreateVLAN.V, VLANIP: n.VLANIP.V,
	}
	nic.Parameters = parametersOf(n.Tuning, nic.Model, m.c.report.errorf)
	for _, v := range n.VFRoCE {
		if nic.VFRoCE == nil {
			nic.VFRoCE = map[int]bool{}
		}
		nic.VFRoCE[v.VF] = v.On.V
	}
	for _, t := range n.TrafficClasses {
		nic.TrafficClasses = append(nic.TrafficClasses, ir.TrafficClass{TOS: t.TOS.V, TOSAt: t.TOS.At, Src: t.Src.V, Dst: t.Dst.V})
	}
	return nic
}

// defaultBondMode is the default mode of the language.
const defaultBondMode = "active-backup"

func (m *nicMaker) bond(d *ir.Device, b *lang.Bond) {
	errorf := m.c.report.errorf
	name := d.Name + ":" + b.Name
	bond := &ir.Bond{Name: b.Name, At: b.Decl, Mode: b.Mode.Or(defaultBondMode), ModeAt: b.Mode.At}
	if nicOf(d, b.Name) != nil {
		errorf(topicBondInvalid, b.Decl, name, "%s has a nic block and a bond block called %q. Give one another name.", d.Name, b.Name)
	}
	for _, n := range b.NICs {
		nic := nicOf(d, n.V)
		switch {
		case nic == nil:
			meant := hint(n.V, nicNames(d))
			m.c.instead(errorf(topicUnknownInterface, diag.FirstPlace(n.At, b.Decl), d.Name+":"+n.V,
				"%s has no nic block %q to put into bond %q.%s %s",
				d.Name, n.V, b.Name, meant, hasNICs(d)), n.V, meant)
		case nic.Bond != nil:
			errorf(topicBondInvalid, diag.FirstPlace(n.At, b.Decl), d.Name+":"+n.V,
				"%s is already in bond %q. Delete it from one of the two bonds.", n.V, nic.Bond.Name).
				Note(nic.Bond.At, "that bond")
		default:
			nic.Bond = bond
			bond.NICs = append(bond.NICs, nic)
		}
	}
	if modes := m.bondModes(bond); len(modes) > 0 && !slices.Contains(modes, bond.Mode) {
		errorf(topicBondInvalid, diag.FirstPlace(b.Mode.At, b.Decl), name,
			"RoCE does not run over a bond in mode %q.%s Use one of the modes %s.",
			bond.Mode, hint(bond.Mode, modes), diag.Some(modes, showNames))
	}
	if len(b.NICs) != 2 {
		errorf(topicBondInvalid, b.Decl, name, "A bond carries RoCE only if it joins exactly the two ports of one card, and %q names %d. "+
			"Name exactly these two.",
			b.Name, len(b.NICs))
	} else if len(bond.NICs) == 2 {
		x, y := bond.NICs[0], bond.NICs[1]
		if x.Model != y.Model && x.Model != nil && y.Model != nil {
			errorf(topicBondInvalid, b.Decl, name, "A bond carries RoCE only if its ports are on one card, and %s is a %s and "+
				"%s a %s. Name the two ports of one card.", x.Name, x.Model.Title, y.Name, y.Model.Title)
		}
	}
	d.Host.Bonds = append(d.Host.Bonds, bond)
}

// bondModes returns the modes in which the driver of a bond's NICs joins them into one RDMA device. If none of its NICs is known, it
// returns those of the first driver that has such modes. Nil: the modes are unknown.
func (m *nicMaker) bondModes(b *ir.Bond) []string {
	for _, n := range b.NICs {
		if n.Model != nil && n.Model.Driver != nil {
			return n.Model.Driver.Bonds
		}
	}
	for _, d := range m.c.known.Drivers {
		if len(d.Bonds) > 0 {
			return d.Bonds
		}
	}
	return nil
}

// nicOf returns the NIC of a host by name, or nil.
func nicOf(d *ir.Device, name string) *ir.NIC {
	for _, n := range d.Host.NICs {
		if n.Name == name {
			return n
		}
	}
	return nil
}

func bondOf(d *ir.Device, name string) *ir.Bond {
	for _, b := range d.Host.Bonds {
		if b.Name == name {
			return b
		}
	}
	return nil
}

func nicNames(d *ir.Device) []string {
	var out []string
	for _, n := range d.Host.NICs {
		out = append(out, n.Name)
	}
	return out
}

// hasNICs returns a sentence that lists the nic blocks of the host.
func hasNICs(d *ir.Device) string {
	if names := nicNames(d); len(names) > 0 {
		return fmt.Sprintf("%s has %s.", d.Name, nodeset.Text(names, nodeset.Interfaces, namesRoom))
	}
	return fmt.Sprintf("%s has no nic block at all.", d.Name)
}

// device returns the device with a name, or reports an error and returns nil.
func (c *compiler) device(name string, at diag.Range, why string) *ir.Device {
	d := c.named[name]
	if d == nil && !c.report.again(name, at) {
		meant := c.nameNear.hint(name)
		c.report.unknown[name] = c.instead(c.report.errorf(topicUnknownDevice, at, name, "No switch and no host is called %q%s.%s", name, why,
			cmp.Or(meant.String(), " Correct the name, or write a switch or host block for it.")), name, meant)
	}
	return d
}

// root resolves the switch that is the root of the spanning tree.
func (c *compiler) root() {
	r := c.src.Fabric.Root
	if !r.Set() {
		return
	}
	d := c.device(r.V, r.At, ", so it cannot be the root of the spanning tree")
	if d != nil && d.Switch == nil {
		c.report.errorf(topicUnknownDevice, r.At, r.V, "%q is a host, and the root of a spanning tree is a switch. Name a switch.", r.V)
		return
	}
	c.f.Root = d
}
