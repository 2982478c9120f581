package lang

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

func vfNumber(s string) (int, *problem) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1023 || strconv.Itoa(n) != s {
		return 0, problemf(&outOfRange, "%q is no number of a virtual function. Write one from 0 to 1023, as in { 0 = false }.", diag.Cut(s))
	}
	return n, nil
}

func sortVFs(vfs []VFRoCE) {
	slices.SortFunc(vfs, func(a, b VFRoCE) int { return cmp.Compare(a.VF, b.VF) })
}

// strings gives the strings of an attribute that is one string or a list of them.
func (l *loader) strings(en *env, e hclsyntax.Expression, want string) ([]element, outcome) {
	var elements []element
	o := good
	if v, ok := literal(e); ok && v.Type() == cty.String {
		elements = []element{{v, e}}
	} else if _, tuple := bare(e).(*hclsyntax.TupleConsExpr); tuple {
		elements, o = l.elements(en, e, want)
	} else {
		v, vo := l.value(en, e)
		if vo != good {
			return nil, vo
		}
		switch ty := v.Type(); {
		case ty == cty.String:
			elements = []element{{v, e}}
		case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
			elements, o = l.elements(en, e, want)
		default:
			l.report(en, e, &wrongType, fmt.Sprintf("Expected %s, or a list of such, not %s.", want, describe(v)))
			return nil, failed
		}
	}
	for _, el := range elements {
		if el.v.Type() != cty.String {
			l.wrong(en, el.expr, el.v, want)
			o = failed
		}
	}
	return elements, o
}

// expand reads one nodeset, whole and within the bound of the fabric, or reports why not.
func (l *loader) expand(el element, kind nodeset.Kind) (text, *nodeset.Set, bool) {
	t := l.text(el.v.AsString(), el.expr)
	set, ok := l.expandText(t, kind)
	return t, set, ok
}

// expandText returns the names of t; an empty set after a mistake.
func (l *loader) expandText(t text, kind nodeset.Kind) (*nodeset.Set, bool) {
	if l.failed[t.expr] && t.expr != nil {
		return &nodeset.Set{}, false
	}
	set, mistakes := nodeset.Parse(t.s, kind)
	for _, m := range mistakes {
		topic := &badNodeset
		if m.Name {
			topic = &badName
		}
		message := m.Message
		if !t.same && t.expr != nil {
			message += fmt.Sprintf(" The string is %q.", diag.Cut(t.s))
		}
		topic.Errorf(&l.diags, t.at(m.From, m.To), "%s", message)
	}
	if len(mistakes) > 0 && t.expr != nil {
		l.fail(t.expr)
	}
	if len(mistakes) > 0 || !l.take(set.Len(), t.at(0, len(t.s))) {
		return &nodeset.Set{}, false
	}
	return set, true
}

// take counts n names against the bound of the fabric. What is over it is counted on, so that the one message can say how many
// the fabric needs.
func (l *loader) take(n int, at diag.Range) bool {
	if l.objects = min(l.objects, math.MaxInt-n) + n; n <= l.objectsLeft {
		l.objectsLeft -= n
		return true
	}
	if l.overflow == nil {
		l.overflowBy = n
		l.overflow = tooManyObjects.Errorf(&l.diags, at, "")
	}
	return false
}

// sayOverflow words what is said of a fabric over its bound, when all of its names are counted.
func (l *loader) sayOverflow() {
	if l.overflow == nil {
		return
	}
	const absurd = 100_000_000 // the memory of no machine holds so many
	needs := diag.Number(l.objects)
	if l.uncounted || l.diags.Count(diag.Error) > 1 { // what has a mistake may name more
		needs = "at least " + needs
	}
	remedy := "Correct the range."
	if l.objects < absurd {
		remedy = fmt.Sprintf("Correct the range, or run rocec with --max-objects %d.", l.objects)
	}
	l.overflow.Detail = fmt.Sprintf("The fabric names %s things (devices, interfaces, link ends, members), and may name %s; here %s of "+
		"them do not fit. %s", needs, diag.Number(cmp.Or(l.options.MaxObjects, DefaultMaxObjects)), diag.Number(l.overflowBy), remedy)
}

// expandLabel reads the nodeset in the label of b.
func (l *loader) expandLabel(b *hclsyntax.Block, kind nodeset.Kind) []nodeset.Name {
	set, _ := l.expandText(l.labelText(b), kind)
	return slices.Collect(set.All())
}

// labelText is the label of b; places inside it are exact unless it holds escapes.
func (l *loader) labelText(b *hclsyntax.Block) text {
	t := text{s: b.Labels[0], base: b.LabelRanges[0]}
	quoted := t.base.SliceBytes(l.src.Files[t.base.Filename])
	if string(quoted) == `"`+t.s+`"` && ascii(t.s) {
		t.base.Start.Byte++
		t.base.Start.Column++
		t.base.End.Byte--
		t.base.End.Column--
		t.same = true
	}
	return t
}

// forEach calls f once for b, or once for each element of its for_each, in order of the keys.
func (l *loader) forEach(b *hclsyntax.Block, en *env, f func(en *env, key string)) {
	a, ok := b.Body.Attributes["for_each"]
	if !ok {
		f(en, "")
		return
	}
	v, o := l.value(en, a.Expr)
	if o == failed {
		return
	}
	ty := v.Type()
	switch {
	case o == null, !ty.IsObjectType() && !ty.IsMapType() && !ty.IsSetType():
		hint := ""
		if ty.IsTupleType() || ty.IsListType() {
			hint = " Write toset(...) around the list."
		}
		l.report(en, a.Expr, &badForEach, fmt.Sprintf("Expected a map, an object or a set of strings, not %s.%s", describe(v), hint))
		return
	case ty.IsSetType() && v.LengthInt() > 0 && ty.ElementType() != cty.String:
		l.report(en, a.Expr, &badForEach, "Expected a set of strings, and this is a set of something else. Write toset([for x in list : tostring(x)]).")
		return
	}
	if !l.take(v.LengthInt(), a.Expr.Range()) {
		l.uncounted = true
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if ty.IsSetType() {
			key = value
		}
		if key.IsNull() {
			l.report(en, a.Expr, &badForEach, "The set holds null, which is no key. Take it out, for example with toset(compact([...])).")
			return
		}
		child := *en
		child.each = true
		child.ctx = en.ctx.NewChild()
		child.ctx.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}
		f(&child, key.AsString())
	}
}

func (l *loader) decodeFabric(b *hclsyntax.Block, en *env) {
	l.src.Fabric = compile(l, &fabricSchema, b, en, &Fabric{Name: b.Labels[0], Decl: header(b)}).proto
	l.checkVersion(l.src.Fabric.RequiredVersion)
}

func (l *loader) decodeCosGroup(b *hclsyntax.Block, en *env) {
	g := compile(l, &cosGroupSchema, b, en, &CosGroup{Name: b.Labels[0], Decl: header(b)}).proto
	l.src.CosGroups = append(l.src.CosGroups, &g)
}

func (l *loader) decodeSSH(b *hclsyntax.Block, en *env) {
	l.src.SSH = compile(l, &topSSHSchema, b, en, &SSH{Decl: header(b)}).proto
}

func (l *loader) decodeSwitchModel(b *hclsyntax.Block, en *env) {
	m := compile(l, &switchModelSchema, b, en, &SwitchModel{Name: b.Labels[0], Decl: header(b)}).proto
	l.src.SwitchModels = append(l.src.SwitchModels, &m)
}

func (l *loader) decodeNICModel(b *hclsyntax.Block, en *env) {
	m := compile(l, &nicModelSchema, b, en, &NICModel{Name: b.Labels[0], Decl: header(b)}).proto
	l.src.NICModels = append(l.src.NICModels, &m)
}

func (l *loader) decodeRoce(b *hclsyntax.Block, en *env, key string) {
	r := compile(l, &roceSchema, b, en, &roceBlock{Roce: Roce{Name: instanceName(b, key, en), Decl: header(b)}}).proto
	for _, el := range r.members {
		l.members(&r.Roce, el, en)
	}
	l.src.Roces = append(l.src.Roces, &r.Roce)
}

// members adds what one element of members means; lists inside the list count as their elements.
func (l *loader) members(r *Roce, el element, en *env) {
	switch ty := el.v.Type(); {
	case el.v.IsNull():
		l.wrong(en, el.expr, el.v, membersWant)
	case ty == refTypes["host"]:
		r.Members = append(r.Members, Member{Group: el.v.EncapsulatedValue().(*blockRef).name, At: el.expr.Range()})
	case ty == cty.String:
		t, set, _ := l.expand(el, nodeset.Members)
		for n := range set.All() {
			r.Members = append(r.Members, Member{Host: n.Device, NIC: n.Interface, At: t.at(n.From, n.To)})
		}
	case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
		for it := el.v.ElementIterator(); it.Next(); {
			_, inner := it.Element()
			l.members(r, element{inner, el.expr}, en)
		}
	default:
		l.wrong(en, el.expr, el.v, membersWant)
	}
}

// deviceName is one expanded name of a switch or host block.
type deviceName struct {
	name string
	at   diag.Range
}

// deviceNames expands the names of a block, or its label when there are none, and reports names taken before.
func (l *loader) deviceNames(b *hclsyntax.Block, names []element) []deviceName {
	var out []deviceName
	add := func(t text, names iter.Seq[nodeset.Name]) {
		var twin nodeset.Name // the first of those taken: one mistake, however many names it is about
		taken := 0
		for n := range names {
			at := t.at(n.From, n.To)
			if _, known := l.devices[n.Device]; known {
				if taken++; taken == 1 {
					twin = n
				}
				continue
			}
			l.devices[n.Device] = at
			out = append(out, deviceName{n.Device, at})
		}
		if taken > 0 {
			l.reportTwin(twin.Device, taken, l.devices[twin.Device], t.at(twin.From, twin.To))
			if t.expr != nil {
				l.fail(t.expr) // for the other instances too
			}
		}
	}
	if _, written := b.Body.Attributes["names"]; !written {
		t := l.labelText(b)
		if why := nodeset.CheckDevice(t.s); why != "" {
			badName.Errorf(&l.diags, t.base, "Without names the label is the device's name. %s", why)
			return nil
		}
		if l.take(1, t.base) {
			add(t, slices.Values([]nodeset.Name{{Device: t.s, From: 0, To: len(t.s)}}))
		}
		return out
	}
	for _, el := range names {
		if el.v.Type() != cty.String {
			continue // reported
		}
		t, set, _ := l.expand(el, nodeset.Devices)
		out = slices.Grow(out, set.Len())
		add(t, set.All())
	}
	return out
}

// reportTwin reports names of devices that are taken: the first of them, and how many there are.
func (l *loader) reportTwin(name string, n int, first, second diag.Range) {
	if first == second {
		duplicateName.Errorf(&l.diags, second, "Two instances of this block, or of its module, name a device %q. Make the names differ, such as by each.key or a variable of the module.", name)
		return
	}
	if diag.ComparePlace(second, first) < 0 { // plain blocks are decoded before the others
		first, second = second, first
	}
	d := duplicateName.Errorf(&l.diags, second, "There are two devices named %q. Give one another name.", name)
	if n > 1 {
		d.Detail = fmt.Sprintf("%d of these names are taken, the first is %q. Give these devices other names.", n, name)
	}
	d.Note(first, "the first one")
}

// instances calls f for each name, with self known. The scope is reused: f must not keep it.
func instances(names []deviceName, b *hclsyntax.Block, en *env, first int, dynamic bool, f func(i int, n deviceName, en *env)) {
	inst := *en
	inst.self = true
	if dynamic {
		inst.ctx = en.ctx.NewChild()
		inst.ctx.Variables = map[string]cty.Value{}
	}
	group := cty.StringVal(b.Labels[0])
	for i, n := range names {
		inst.who = n.name
		if dynamic {
			inst.ctx.Variables["self"] = cty.ObjectVal(map[string]cty.Value{
				"name": cty.StringVal(n.name), "index": cty.NumberIntVal(int64(first + i)), "group": group,
			})
		}
		f(i, n, &inst)
	}
}

// decodeDevice decodes a switch or host block.
func (l *loader) decodeDevice(b *hclsyntax.Block, en *env, into *batch) {
	decode := l.decodeHost
	if b.Type == "switch" {
		decode = l.decodeSwitch
	}
	l.forEach(b, en, func(en *env, _ string) { decode(b, en, into) })
}

func (l *loader) decodeSwitch(b *hclsyntax.Block, en *env, into *batch) {
	t := compile(l, &switchSchema, b, en, &switchBlock{Switch: Switch{Group: en.sc.prefix + b.Labels[0], Decl: header(b)}})
	names := l.deviceNames(b, t.proto.names)
	first := en.sc.indexes[b]
	en.sc.indexes[b] = first + len(names)
	slab := make([]Switch, len(names))
	into.switches = slices.Grow(into.switches, len(names))
	instances(names, b, en, first, len(t.steps) > 0, func(i int, n deviceName, en *env) {
		s := t.proto
		t.run(en, &s)
		slab[i] = s.Switch
		slab[i].Name, slab[i].NameAt, slab[i].Index = n.name, n.at, first+i
		into.switches = append(into.switches, &slab[i])
	})
}

func (l *loader) decodeHost(b *hclsyntax.Block, en *env, into *batch) {
	t := compile(l, &hostSchema, b, en, &hostBlock{Host: Host{Group: en.sc.prefix + b.Labels[0], Decl: header(b)}})
	l.checkInterfaces(&t.proto)
	t.proto.settle()
	names := l.deviceNames(b, t.proto.names)
	if !l.take(len(names)*len(t.proto.NICs), header(b)) {
		names = nil
	}
	first := en.sc.indexes[b]
	en.sc.indexes[b] = first + len(names)
	slab := make([]Host, len(names))
	into.hosts = slices.Grow(into.hosts, len(names))
	shared := t.proto.nics
	instances(names, b, en, first, len(t.steps) > 0, func(i int, n deviceName, en *env) {
		h := t.proto
		t.run(en, &h)
		if !sameBlocks(h.nics, shared) || !sameBlocks(h.bonds, t.proto.bonds) {
			h.settle()
		}
		slab[i] = h.Host
		slab[i].Name, slab[i].NameAt, slab[i].Index = n.name, n.at, first+i
		into.hosts = append(into.hosts, &slab[i])
	})
}

func sameBlocks[T any](a, b []*T) bool { return len(a) == 0 || &a[0] == &b[0] }

// settle makes the interfaces of a host out of its blocks.
func (h *hostBlock) settle() {
	h.NICs, h.Bonds = nil, nil
	for _, n := range h.nics {
		for _, name := range n.names {
			nic := n.NIC
			nic.Name = name.Interface
			h.NICs = append(h.NICs, &nic)
		}
	}
	for _, b := range h.bonds {
		if b.ok {
			bond := b.Bond
			h.Bonds = append(h.Bonds, &bond)
		}
	}
}

// checkInterfaces reports interface names used twice in a host.
func (l *loader) checkInterfaces(h *hostBlock) {
	seen := map[string]diag.Range{}
	check := func(name string, at diag.Range) {
		if first, ok := seen[name]; ok {
			duplicateName.Errorf(&l.diags, at, "The host has two interfaces named %q. Give one another name.", name).Note(first, "the first one")
			return
		}
		seen[name] = at
	}
	for _, n := range h.nics {
		t := l.labelText(n.label)
		for _, name := range n.names {
			check(name.Interface, t.at(name.From, name.To))
		}
	}
	for _, b := range h.bonds {
		if b.ok {
			check(b.Name, l.labelText(b.label).base)
		}
	}
}

// side is one side of a link or mesh, expanded.
type side struct {
	ends []Endpoint
	at   diag.Range
	ok   bool
}

func (l *loader) side(elements []element, e hclsyntax.Expression) side {
	s := side{ok: e != nil && !l.failed[e]}
	if e == nil {
		return s
	}
	s.at = e.Range()
	for _, el := range elements {
		if el.v.Type() != cty.String {
			return side{at: s.at}
		}
		t, set, ok := l.expand(el, nodeset.Endpoints)
		s.ok = s.ok && ok
		s.ends = slices.Grow(s.ends, set.Len())
		for n := range set.All() {
			s.ends = append(s.ends, Endpoint{n.Device, n.Interface, t.at(n.From, n.To)})
		}
	}
	return s
}

// decodeCables decodes a link, mesh or topology block.
func (l *loader) decodeCables(b *hclsyntax.Block, en *env, into *batch) {
	if b.Type == "topology" {
		l.decodeTopology(b, en, into)
		return
	}
	l.forEach(b, en, func(en *env, key string) { l.decodeLink(b, en, key, into) })
}

func (l *loader) decodeLink(b *hclsyntax.Block, en *env, key string, into *batch) {
	table, join := &linkSchema, l.zip
	if b.Type == "mesh" {
		table, join = &meshSchema, l.mesh
	}
	t := compile(l, table, b, en, &linkBlock{LinkBlock: LinkBlock{Kind: b.Type, Name: instanceName(b, key, en), Decl: header(b)}})
	k := t.proto
	first, second := l.side(k.a, k.aExpr), l.side(k.b, k.bExpr)
	if !first.ok || !second.ok || len(first.ends) == 0 && len(second.ends) == 0 {
		return
	}
	block := k.LinkBlock
	join(&block, first, second, into)
}

// zip joins the sides of a link pairwise.
func (l *loader) zip(block *LinkBlock, a, b side, into *batch) {
	if len(a.ends) != len(b.ends) {
		unequalCounts.Errorf(&l.diags, block.Decl, "%s zips its sides pairwise, and they have different counts: a names %s, b names %s. Name as many on both.",
			block.title(), diag.Count(len(a.ends), "endpoint"), diag.Count(len(b.ends), "endpoint")).
			Note(a.at, "%s", diag.Count(len(a.ends), "endpoint")).
			Note(b.at, "%s", diag.Count(len(b.ends), "endpoint"))
		return
	}
	slab := make([]Link, len(a.ends))
	into.links = slices.Grow(into.links, len(slab))
	for i := range slab {
		slab[i] = Link{A: a.ends[i], B: b.ends[i], Block: block}
		into.links = append(into.links, &slab[i])
	}
}

func (b *LinkBlock) title() string { return fmt.Sprintf("%s %q", b.Kind, b.Name) }

// byDevice groups endpoints by device, both in the order they are named.
func byDevice(ends []Endpoint) [][]Endpoint {
	index := map[string]int{}
	var out [][]Endpoint
	for len(ends) > 0 {
		run := 1 // mostly all ports of a device stand together
		for run < len(ends) && ends[run].Device == ends[0].Device {
			run++
		}
		if i, ok := index[ends[0].Device]; ok {
			out[i] = append(out[i], ends[:run]...)
		} else {
			index[ends[0].Device] = len(out)
			out = append(out, ends[:run:run])
		}
		ends = ends[run:]
	}
	return out
}

// mesh joins every lower device to every upper device by w links: with w = 1 the k-th port of a lower device goes to
// the k-th upper device and the i-th port of an upper device to the i-th lower one; else runs of w ports do.
func (l *loader) mesh(block *LinkBlock, lower, upper side, into *batch) {
	low, up := byDevice(lower.ends), byDevice(upper.ends)
	report := func(format string, args ...any) {
		unequalCounts.Errorf(&l.diags, block.Decl, "%s %s", block.title(), fmt.Sprintf(format, args...)).
			Note(lower.at, "%s, %s", diag.Count(len(low), "lower device"), diag.Count(len(lower.ends), "port")).
			Note(upper.at, "%s, %s", diag.Count(len(up), "upper device"), diag.Count(len(upper.ends), "port"))
	}
	for _, group := range [][][]Endpoint{low, up} {
		for _, ports := range group {
			if len(ports) != len(group[0]) {
				report("needs the same number of ports on every device of a side: %s has %d, and %s has %d. Name as many on each.", group[0][0].Device, len(group[0]), ports[0].Device, len(ports))
				return
			}
		}
	}
	p, q := len(low[0]), len(up[0])
	if p%len(up) != 0 {
		report("joins every lower device to %s, so a lower device needs %d ports, or a multiple for parallel links; it names %d. Correct lower, or upper.", diag.Count(len(up), "upper device"), len(up), p)
		return
	}
	w := p / len(up)
	if q != w*len(low) {
		report("joins %s to %s by %s each, so an upper device needs %d x %d = %d ports; it names %d. Correct upper, or lower.",
			diag.Count(len(low), "lower device"), diag.Count(len(up), "upper device"), diag.Count(w, "link"), len(low), w, len(low)*w, q)
		return
	}
	slab := make([]Link, 0, len(lower.ends))
	into.links = slices.Grow(into.links, len(lower.ends))
	for i := range low {
		for j := range up {
			for r := range w {
				slab = append(slab, Link{A: low[i][j*w+r], B: up[j][i*w+r], Block: block})
				into.links = append(into.links, &slab[len(slab)-1])
			}
		}
	}
}
