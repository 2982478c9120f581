package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/proof"
)

// Running is the proof of the tables of next hops that the devices use.
type Running struct {
	Proofs       []*proof.Proof // of a copy of the fabric with routing = "table"; nil: not proved
	Why          string         // why not, as part of a sentence
	Targets      int            // destinations that differ in their next hops
	Destinations int            // destinations in all
}

// Of returns the running proof that contains a group; nil: the routes were not proved.
func (r *Running) Of(g *ir.CosGroup) *proof.Proof {
	if r == nil {
		return nil
	}
	if i := slices.IndexFunc(r.Proofs, func(p *proof.Proof) bool { return slices.Contains(p.Groups, g) }); i >= 0 {
		return r.Proofs[i]
	}
	return nil
}

// byTables are the assumptions that the tables of devices show.
var byTables = []proof.AssumptionCode{proof.NoTurningBack, proof.NeverUpAgain, proof.EqualCosts, proof.ByTable}

// running proves the running tables, and finds the first turn of them that the routing of the fabric does not have.
func (j *judging) running(budget *ir.Budget) *Running {
	if len(joints(j.f)) == 0 || !slices.ContainsFunc(j.of, func(r *ir.Forwarding) bool { return r.Read(ir.PartTables) }) {
		return nil
	}
	doubt := func(why string) *Running {
		for _, d := range joints(j.f) {
			j.doubt(d, why, byTables...)
		}
		return &Running{Why: why}
	}
	if j.f.Routing == ir.SpanningTree || j.f.Routing == ir.Flooding {
		doubt("bridges forward by MAC addresses, and not by routes")
		return nil
	}
	m, why := running(j.f, j.of)
	if m == nil {
		return doubt(why)
	}
	own := *j.f
	own.Routing, own.Table = ir.TablePath, m.table
	f := own.Copy()
	f.Routes = j.f.Routes.Of(f)
	out := &Running{Targets: len(m.table.Targets), Destinations: len(m.destinations)}
	out.Proofs = proof.All(f, budget)
	t := &turns{judging: j, made: m, f: f}
	for _, p := range out.Proofs {
		j.loop(p)
		for _, g := range p.Groups {
			if why := t.compare(g); why != "" {
				doubt(why)
			}
		}
	}
	t.report()
	return out
}

// loop reports a circle of the running tables, unless the fabric as written is prone, too.
func (j *judging) loop(p *proof.Proof) {
	described := slices.IndexFunc(j.proofs, func(o *proof.Proof) bool { return slices.Contains(o.Groups, p.Groups[0]) })
	if p.Verdict != proof.Prone || described < 0 || j.proofs[described].Verdict == proof.Prone {
		return
	}
	circle := p.Loops[0].Circle
	names := make([]string, 0, len(circle))
	for i, w := range circle {
		if i == mostHops {
			names = append(names, "...")
			break
		}
		names = append(names, w.In.Peer().Device().Name+">"+w.In.Device().Name)
	}
	d := j.f.Devices[circle[0].In.Device().ID]
	j.add(d, &topicLoop, diag.Error, fmt.Sprintf("By the routes that the switches use, %s of cos group %s wait for each other in a circle: "+
		"%s. The verdict on the fabric as written is %s.", diag.Count(len(circle), "buffer"), p.Groups[0].Name, strings.Join(names, ", "),
		j.proofs[described].Verdict))
}

// mostHops is the number of buffers of a circle that a finding names.
const mostHops = 8

// turns compares the turns of the running tables with those of the routing of the fabric.
type turns struct {
	*judging
	made  *tableMaker
	f     *ir.Fabric // with the running tables
	first *odd
	more  int
}

// odd is a turn that the routing does not have.
type odd struct {
	in, out *ir.Port // of the fabric
	why     string
	code    proof.AssumptionCode
	always  bool // the routing rules it out at all times, also after failures
	flow    *ir.Flow
}

// compare finds the turns of a group. It returns why it cannot, as part of a sentence.
func (t *turns) compare(g *ir.CosGroup) (why string) {
	is, err := t.f.Routes.Turns(g, ir.State{})
	if err != nil {
		return "the running routes cannot be followed: " + err.Error()
	}
	reason, err := t.rule(g)
	if err != nil {
		return "the routing of the fabric cannot be followed: " + err.Error()
	}
	for id, row := range is.Rows {
		for word, bits := range row {
			for bit := 0; bits>>bit != 0; bit++ {
				if bits>>bit&1 == 0 {
					continue
				}
				in := t.judging.f.Ports[id]
				out := in.Device().Ports[64*word+bit]
				x := reason(in, out)
				if x == nil {
					continue
				}
				if x.in, x.out = in, out; t.first == nil {
					t.first = x
					x.flow = is.Witness([]ir.Turn{{In: t.f.Ports[in.ID], Out: t.f.Ports[out.ID]}})[0]
				} else {
					t.more++
				}
				t.turned(in.Device(), x)
			}
		}
	}
	return ""
}

// turned records a turn against the assumption that rules it out. A turn that may follow a failure of links contradicts none.
func (t *turns) turned(d *ir.Device, x *odd) {
	if !x.always {
		t.doubt(d, "its routes take paths that the healthy fabric does not have", x.code)
		return
	}
	if t.against[x.code] == nil {
		t.against[x.code] = map[*ir.Device]string{}
	}
	t.against[x.code][d] = ""
}

// rule returns a function that returns why the routing of the fabric does not have a turn; nil: it has the turn.
func (t *turns) rule(g *ir.CosGroup) (func(in, out *ir.Port) *odd, error) {
	f := t.judging.f
	certificate := proof.Certificate("")
	for _, p := range t.proofs {
		if slices.Contains(p.Groups, g) {
			certificate = p.Certificate
		}
	}
	switch {
	case certificate == proof.ByForest:
		return turnBack, nil
	case f.Routing == ir.UpDown:
		return upAgain(proof.NeverUpAgain), nil
	case certificate == proof.ByASPlan:
		return upAgain(proof.ASNumbers), nil
	}
	has, err := f.Routes.Turns(g, ir.State{})
	if err != nil {
		return nil, err
	}
	code, why := proof.EqualCosts, "no shortest path of the fabric takes that turn while all links are up"
	if f.Routing == ir.TablePath {
		code, why = proof.ByTable, "the table of the fabric does not take that turn"
	}
	return func(in, out *ir.Port) *odd {
		if has.Has(in, out) {
			return nil
		}
		return &odd{why: why, code: code, always: f.Routing == ir.TablePath}
	}, nil
}

// turnBack finds turns back to the device that the traffic came from.
func turnBack(in, out *ir.Port) *odd {
	if in.Peer().Device() != out.Peer().Device() {
		return nil
	}
	return &odd{why: "it goes back to the device that it came from", code: proof.NoTurningBack, always: true}
}

// upAgain finds turns of traffic that came down, or from the side, and does not go down.
func upAgain(code proof.AssumptionCode) func(in, out *ir.Port) *odd {
	return func(in, out *ir.Port) *odd {
		came, goes := proof.Up(in.Peer(), in), proof.Up(out, out.Peer())
		x := &odd{code: code, always: true}
		switch {
		case goes < 0:
			return nil
		case came > 0 && goes == 0 && code == proof.NeverUpAgain && !out.Link().Peer:
			x.why = "it goes to the side by a cable without peer = true"
		case came > 0:
			return nil
		case came == 0:
			x.why = "it came from the side and does not go down"
		case goes == 0:
			x.why = "it came down and goes to the side"
		default:
			x.why = "it came down and goes up again"
		}
		return x
	}
}

// report writes the finding about the first turn.
func (t *turns) report() {
	x := t.first
	if x == nil {
		return
	}
	to, route := "a host", ""
	if x.flow != nil {
		last := x.flow.Ports[len(x.flow.Ports)-1]
		port := t.judging.f.Ports[last.ID]
		to = port.String()
		if port.NIC != nil {
			if r := t.made.routeTo(x.in.Device(), port.NIC); r != nil {
				route = fmt.Sprintf(" by its route to %s", r.To)
			}
		}
	}
	severity, codes := diag.Warning, []proof.AssumptionCode(nil)
	if x.always {
		severity, codes = diag.Error, []proof.AssumptionCode{x.code}
	}
	more := ""
	if t.more > 0 {
		more = fmt.Sprintf(" %s %s like it.", diag.Count(t.more, "other turn"), diag.Plural(t.more, "is", "are"))
	}
	t.add(x.in.Device(), &topicTurn, severity, fmt.Sprintf("%s sends traffic for %s%s, which came in at %s from %s, out at %s to "+
		"%s: %s.%s", here, to, route, x.in.Name, x.in.Peer().Device().Name, x.out.Name, x.out.Peer().Device().Name, x.why, more), codes...)
}
