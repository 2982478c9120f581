package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/validate/proof"
)

// Texts that several checks use.

// verb returns a subject of n things with its verb in singular or plural: "leaf1 maps", "leaf1 and leaf2 map".
func verb(subject string, n int, one, many string) string {
	return subject + " " + diag.Plural(n, one, many)
}

// andMore returns the count of the others of n: " and 3 bonds like it".
func andMore(n int, noun string) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" and %s like it", diag.Count(n-1, noun))
}

// nicName returns "host:interface", the spelling of the language.
func nicName(n *ir.NIC) string { return n.Device.Name + ":" + n.Name }

// namesRoom bounds the names of devices or interfaces in a message, in bytes.
const namesRoom = 60

// nicNames lists interfaces of hosts as nodesets, and counts those beyond namesRoom.
func nicNames(nics []*ir.NIC) string {
	names := make([]string, len(nics))
	for i, n := range nics {
		names[i] = nicName(n)
	}
	return nodeset.Text(names, nodeset.Endpoints, namesRoom)
}

// deviceNames does the same as [nicNames] for devices.
func deviceNames(devices []*ir.Device) string {
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = d.Name
	}
	return nodeset.Text(names, nodeset.Devices, namesRoom)
}

// someOf lists the first of some words that are no names of devices, and counts the others.
func someOf(words []string) string { return diag.Some(words, 4) }

// namesOf returns the text of some names, with the count of the others.
func namesOf[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, v := range all {
		names[i] = name(v)
	}
	return someOf(names)
}

// themOf returns a reference to devices of the same sentence; one device is named again.
func themOf(devices []*ir.Device) string {
	if len(devices) == 1 {
		return devices[0].Name
	}
	return "them"
}

// bondsText names the first of some bonds and counts the others.
func bondsText(bonds []*ir.Bond) string {
	return bonds[0].NICs[0].Device.Name + ":" + bonds[0].Name + andMore(len(bonds), "bond")
}

// intentNames lists the first of some intents and counts the others: roce "a" and roce "b".
func intentNames(intents []*ir.Intent) string {
	return namesOf(intents, func(in *ir.Intent) string { return `roce "` + in.Name + `"` })
}

// groupNames lists groups with their numbers: rdma (cos 4).
func groupNames(groups []*ir.CosGroup) string {
	return namesOf(groups, func(g *ir.CosGroup) string { return fmt.Sprintf("%s (cos %d)", g.Name, g.Cos) })
}

// groupsText names all of the groups: cos group "rdma" (priority 4).
func groupsText(groups []*ir.CosGroup) string {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = fmt.Sprintf("cos group %q (priority %d)", g.Name, g.Cos)
	}
	return diag.And(names)
}

// claimsText returns text such as "[3, 4]".
func claimsText(claims []ir.Claim) string {
	values := make([]string, len(claims))
	for i, c := range claims {
		values[i] = strconv.Itoa(c.Value)
	}
	return "[" + strings.Join(values, ", ") + "]"
}

// bothClaim reports a value that two groups claim: at the later place, with a note at the earlier.
func (p *Pass) bothClaim(c twice, what, why string) {
	p.Errorf(c.againAt, "Cos groups %q and %q both claim %s. %s", c.first.Name, c.again.Name, what, why).
		Note(c.firstAt, "%q claims it here", c.first.Name)
}

// groupAt returns text about the group of a cos.
func groupAt(f *ir.Fabric, cos int) string {
	var group *ir.CosGroup
	for _, g := range f.CosGroups {
		if g.Cos == cos && (group == nil || g.Lossless) {
			group = g
		}
	}
	switch {
	case group == nil:
		return "which belongs to no group"
	case group.Lossless:
		return "the lossless cos group " + group.Name
	}
	return "the lossy cos group " + group.Name
}

// toldBy returns the field that identifies an intent's packets.
func toldBy(in *ir.Intent) string {
	if in.ByDSCP() {
		return "DSCP"
	}
	return "PCP"
}

// unprotected returns text about the protection that packets lack in a wrong group.
func unprotected(f *ir.Fabric, in *ir.Intent) string {
	switch {
	case f.FlowControl == ir.Pause:
		return "not marked"
	case !in.Group.Lossless:
		return "lost without having been marked"
	case in.Version == 2 && in.Group.ECN != nil:
		return "neither lossless nor marked"
	}
	return "not lossless"
}

// noteRouted adds notes on routed links, one for every block that lays some.
func noteRouted(d *diag.Diagnostic, routed []*ir.Link) {
	var blocks []diag.Range
	names := map[diag.Range][]string{}
	for _, l := range routed {
		if names[l.At] == nil {
			blocks = append(blocks, l.At)
		}
		names[l.At] = append(names[l.At], fmt.Sprintf("%s - %s", l.A(), l.B()))
	}
	for _, at := range blocks {
		d.Note(at, "%s routed", verb(someOf(names[at]), len(names[at]), "is", "are"))
	}
}

// hops returns a circle in the form of diagnostics.
func hops(circle []Wait) []diag.Wait {
	at := hopAt(circle)
	out := make([]diag.Wait, len(circle))
	for i, h := range circle {
		out[i] = diag.Wait{Device: h.In.Device().Name, In: h.In.Name, Out: h.Out.Name, CosGroup: h.Group.Name, At: at(h)}
	}
	return out
}

// hopAt returns the place shown for a hop: the ingress port in its link, the name of its device, or the block of its link. It chooses the
// kind that gives the hops of the circle the most different places, because a nodeset has one place for many names.
func hopAt(circle []Wait) func(Wait) diag.Range {
	var best func(Wait) diag.Range
	most := -1
	for _, at := range []func(Wait) diag.Range{
		func(h Wait) diag.Range { return h.In.At },
		func(h Wait) diag.Range { return h.In.Device().At },
		func(h Wait) diag.Range { return h.In.Link().At },
	} {
		apart := map[diag.Range]bool{}
		for _, h := range circle {
			if r := at(h); r.Filename != "" {
				apart[r] = true
			}
		}
		if len(apart) > most {
			best, most = at, len(apart)
		}
	}
	return best
}

// writeCircle writes a line for every buffer.
func writeCircle(b *strings.Builder, circle []Wait) {
	left, right := 0, 0
	groups := false
	for _, h := range circle {
		left, right = max(left, len(h.In.Peer().String())), max(right, len(h.In.String()))
		groups = groups || h.Group != circle[0].Group
	}
	const most = 24 // lines of a circle; a longer circle has only its first and last ones
	for i, h := range circle {
		if len(circle) > most && i >= most-4 && i < len(circle)-4 {
			if i == most-4 {
				fmt.Fprintf(b, "    ...  %s more\n", diag.Count(len(circle)-most, "buffer"))
			}
			continue
		}
		turn := ""
		switch {
		case h.In == h.Out:
			turn = "   back where it came from"
		case h.Valley():
			turn = "   down, then up again"
		}
		if groups {
			turn = fmt.Sprintf("   (%s)%s", h.Group.Name, turn)
		}
		fmt.Fprintf(b, "  %3d. %-*s ===> %-*s   out by %s, into %d%s\n",
			i+1, left, h.In.Peer(), right, h.In, h.Out.Name, (i+1)%len(circle)+1, turn)
	}
}

// writeDown lists the links without which there is a circle.
func writeDown(b *strings.Builder, down []*ir.Link) {
	fmt.Fprintf(b, "\nonly when %s:\n\n", areDown(down))
	for _, link := range down {
		planned := ""
		if link.Planned {
			planned = " (planned)"
		}
		fmt.Fprintf(b, "    %s - %s%s\n", link.A(), link.B(), planned)
	}
}

// writeFlows lists the flows that fill a circle.
func writeFlows(b *strings.Builder, flows []*ir.Flow) {
	writeFirst(b, "flows that fill it", "flow", flows, flowText)
}

// writeFirst writes the first of all below a title, and the number of others. It writes nothing if all is empty.
func writeFirst[T any](b *strings.Builder, title, noun string, all []T, text func(T) string) {
	const most = 8
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, x := range all[:min(len(all), most)] {
		fmt.Fprintf(b, "    %s\n", text(x))
	}
	if more := len(all) - most; more > 0 {
		fmt.Fprintf(b, "    ...  %s more\n", diag.Count(more, noun))
	}
}

// flowText returns text such as "node1:eth2 -> node3:eth2, by sw1, sw2, sw3".
func flowText(f *ir.Flow) string {
	from, to := f.Ports[0], f.Ports[len(f.Ports)-1]
	by := make([]string, 0, len(f.Ports)/2)
	for i := 1; i+1 < len(f.Ports); i += 2 {
		by = append(by, f.Ports[i].Device().Name)
	}
	if len(by) > 7 {
		by = append(by[:5], "...", by[len(by)-1])
	}
	return fmt.Sprintf("%s -> %s, by %s", from, to, strings.Join(by, ", "))
}

// areDown returns text such as "1 link is down" or "1 link is down and 2 planned cables are not laid".
func areDown(links []*ir.Link) string {
	var parts []string
	failed := len(proof.Failed(links))
	if failed > 0 {
		parts = append(parts, diag.Count(failed, "link")+diag.Plural(failed, " is down", " are down"))
	}
	if n := len(links) - failed; n > 0 {
		parts = append(parts, diag.Count(n, "planned cable")+diag.Plural(n, " is not laid", " are not laid"))
	}
	return diag.And(parts)
}

// rateText returns a sum of speeds as text: "13,107G".
func rateText(mbps int) string {
	if mbps%1000 != 0 {
		return platform.SpeedText(mbps)
	}
	return diag.Number(mbps/1000) + "G"
}

// stuck returns what can end a deadlock on the switches of the fabric, and what keeps hosts from causing one, as far as their systems and
// drivers are known.
func (p *Pass) stuck() (switches, hosts string) {
	var onSwitches, onHosts []string
	add := func(all *[]string, fact string) {
		if fact != "" && !slices.Contains(*all, fact) {
			*all = append(*all, fact)
		}
	}
	for _, d := range p.Fabric.Devices {
		if d.Switch != nil {
			add(&onSwitches, d.Switch.Can.Stuck)
			continue
		}
		for _, n := range d.Host.NICs {
			add(&onHosts, n.Can().Storm)
		}
	}
	if len(onSwitches) > 0 {
		switches = ": " + strings.Join(onSwitches, "; ")
	}
	for _, fact := range onHosts {
		hosts += " On the hosts " + fact + "."
	}
	return switches, hosts
}
