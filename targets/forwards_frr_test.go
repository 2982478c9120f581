//go:build linux

package targets_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
	forwardclaims "github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// frrCommon is the part of a fabric that all networks have.
const frrCommon = `
cos_group "rdma" {
  cos      = 4
  dscp     = [34]
  weight   = 10
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
cos_group "default" {
  cos    = 0
  weight = 10
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.h]
}
`

// frrSwitches and frrHosts are the attributes of every switch and of every host.
const (
	frrSwitches = `
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
`
	frrHosts = `
  nic "eth0" {
    model = "connectx-6-dx"
    mtu   = 9000
    ip    = "10.1.${self.index + 1}.2/24"
  }
`
)

// answers asks every device.
func (n *network) answers() map[string][]lint.File {
	out := map[string][]lint.File{}
	for _, d := range n.f.Devices {
		out[d.Name] = n.ask(d, anyFile)
	}
	return out
}

// frrVerdict is a fabric, and the judgement of its assumptions by the answers of its devices.
type frrVerdict struct {
	f *ir.Fabric
	*proof.Proof
	*forwardclaims.Result
}

// judgeForwarding reads the answers of devices, and judges the assumptions of a fabric by them.
func judgeForwarding(t *testing.T, f *ir.Fabric, answers map[string][]lint.File) frrVerdict {
	t.Helper()
	proofs := validate.Run(f, nil).Proofs
	require.Len(t, proofs, 1)
	seen := &forwardclaims.Seen{By: "snapshot"}
	for _, d := range f.Devices {
		seen.Devices = append(seen.Devices, targets.ReadForwarding(d, answers[d.Name], whenAnswered))
	}
	p := proofs[0].Proof
	r := forwardclaims.Judge(f, []*proof.Proof{p}, seen, ir.NewBudget(validate.DefaultBudget))
	require.NotNil(t, r.Running)
	require.Empty(t, r.Running.Why)
	return frrVerdict{f, p, r}
}

// found returns the findings.
func (v frrVerdict) found() []string {
	out := []string{}
	for _, x := range v.Findings {
		out = append(out, x.Severity.String()+" "+x.Code+": "+strings.TrimSuffix(x.Detail, " (snapshot, 27 Nov 10:02 UTC)"))
	}
	return out
}

// running returns the proof of the running tables.
func (v frrVerdict) running() *proof.Proof { return v.Running.Of(v.Groups[0]) }

// circle returns the circle of the running tables, as the buffers that wait: FROM>AT.
func (v frrVerdict) circle() string {
	if len(v.running().Loops) == 0 {
		return ""
	}
	var names []string
	for _, w := range v.running().Loops[0].Circle {
		names = append(names, w.In.Peer().Device().Name+">"+w.In.Device().Name)
	}
	return strings.Join(names, ", ")
}

// In a ring of switches, each with its own AS number, routes lead both ways to the switch opposite. The running tables are proved, and they
// close the circle, also if the fabric describes the ring as a network of two tiers without circles.
func TestFRRRing(t *testing.T) {
	ring := func(routing, opposite string) *ir.Fabric {
		return compilertest.Compile(t, `fabric "ring" {
  routing      = "`+routing+`"
  cable_length = "5m"
}
`+frrCommon+`
switch "odd" {
  names   = "r[1,3]"
  asn     = 65001 + 2 * self.index`+frrSwitches+`
}
switch "even" {
  names   = "r[2,4]"
  asn     = 65002 + 2 * self.index`+opposite+frrSwitches+`
}
host "h" {
  names = "h[1-4]"`+frrHosts+`
}
link "hosts" {
  a     = "h[1-4]:eth0"
  b     = "r[1-4]:swp1"
  speed = "100G"
}
link "ring" {
  a     = "r[1-4]:swp2"
  b     = "r[2-4,1]:swp3"
  speed = "100G"
}
`)
	}
	n := newNetwork(t, ring("ebgp", ""))
	for i := range 4 {
		n.start(fmt.Sprint("r", i+1), fmt.Sprintf("10.0.0.%d/32", i+1))
	}
	n.await("r1 10.0.0.3/32 r2,r4", "r1 10.0.0.2/32 r2", "r3 10.0.0.1/32 r4,r2", "r4 10.0.0.1/32 r1",
		"r1 10.1.3.0/24 r2,r4", "r2 10.1.4.0/24 r3,r1", "r3 10.1.1.0/24 r4,r2", "r4 10.1.2.0/24 r1,r3")
	r := n.read("r1")
	assert.Equal(t, uint32(65001), r.BGP.AS)
	assert.True(t, r.BGP.Relaxed)
	assert.Equal(t, []ir.ForwardingPeer{{Port: "swp2", AS: 65002, Up: true}, {Port: "swp3", AS: 65004, Up: true}}, r.BGP.Peers)
	assert.Empty(t, r.BGP.Static)
	assert.Empty(t, r.BGP.Aggregates)
	assert.Equal(t, map[ir.ForwardingPart]string{
		ir.PartHost: "it is no host",
	}, r.Unread)

	answers := n.answers()
	j := judgeForwarding(t, n.f, answers)
	assert.Equal(t, proof.Prone, j.Verdict)
	assert.Equal(t, proof.Prone, j.running().Verdict)
	const circle = "r2>r1, r1>r4, r4>r3, r3>r2"
	assert.Equal(t, circle, j.circle())
	assert.Equal(t, 4, j.Running.Targets)
	assert.Empty(t, j.found(), "the fabric as written is prone, too")

	j = judgeForwarding(t, ring("up-down", "\n  tier    = 2"), answers)
	assert.Equal(t, proof.Free, j.Verdict)
	assert.Equal(t, proof.Prone, j.running().Verdict)
	assert.Equal(t, circle, j.circle())
	assert.Equal(t, []string{
		"error claim-loop: By the routes that the switches use, 4 buffers of cos group rdma wait for each other in a circle: " + circle +
			". The verdict on the fabric as written is free.",
		"error claim-turn: r1 sends traffic for h4:eth0 by its route to 10.1.4.0/24, which came in at swp2 from r2, out at swp3 to r4: it " +
			"came down and goes up again. 3 other turns are like it.",
	}, j.found())
}

// In a Clos of 2 spines and 3 leaves with an AS plan, the answers confirm the plan, and after each departure from it they show that
// departure: allowas-in, then links that fail, an aggregate without a discard route, and a policy that prepends.
func TestFRRClos(t *testing.T) {
	n := newNetwork(t, compilertest.Compile(t, `fabric "clos" {
  routing      = "ebgp"
  cable_length = "5m"
  failures     = 2
}
`+frrCommon+`
switch "s" {
  names   = "s[1-2]"
  tier    = 2
  asn     = 65000`+frrSwitches+`
}
switch "l" {
  names   = "l[1-3]"
  tier    = 1
  asn     = 65101 + self.index`+frrSwitches+`
}
host "h" {
  names = "h[1-3]"`+frrHosts+`
}
link "hosts" {
  a     = "h[1-3]:eth0"
  b     = "l[1-3]:swp1"
  speed = "100G"
}
mesh "uplinks" {
  lower = "l[1-3]:swp[2-3]"
  upper = "s[1-2]:swp[1-3]"
  speed = "100G"
}
`))
	for i := range 2 {
		n.start(fmt.Sprint("s", i+1), fmt.Sprintf("10.0.2.%d/32", i+1))
	}
	for i := range 3 {
		n.start(fmt.Sprint("l", i+1), fmt.Sprintf("10.0.1.%d/32", i+1))
	}
	healthy := []string{
		"l1 10.1.2.0/24 s1,s2", "l1 10.1.3.0/24 s1,s2", "l2 10.1.1.0/24 s1,s2", "l2 10.1.3.0/24 s1,s2", "l3 10.1.1.0/24 s1,s2",
		"l3 10.1.2.0/24 s1,s2", "s1 10.1.1.0/24 l1", "s1 10.1.2.0/24 l2", "s1 10.1.3.0/24 l3", "s2 10.1.1.0/24 l1", "s2 10.1.2.0/24 l2",
		"s2 10.1.3.0/24 l3",
	}
	n.await(append(healthy, "l1 10.0.1.3/32 s1,s2", "l3 10.0.1.1/32 s1,s2")...)
	j := judgeForwarding(t, n.f, n.answers())
	assert.Equal(t, proof.Free, j.Verdict)
	assert.Equal(t, proof.ByASPlan, j.Certificate)
	assert.Equal(t, proof.Free, j.running().Verdict)
	assert.Empty(t, j.found())
	const switches, at = "checked on 5 of 5 switches, 27 Nov 10:02 UTC", ", 27 Nov 10:02 UTC"
	states := map[proof.AssumptionCode]string{}
	for _, a := range j.Assumptions {
		if is := j.Of(a.Code); is.Scope != nil {
			states[a.Code] = is.Text()
		}
	}
	assert.Equal(t, map[proof.AssumptionCode]string{
		proof.ASNumbers: switches, proof.NoPrepending: switches, proof.Aggregates: switches, proof.NoTunnels: switches,
		proof.NoFlooding: "not checked; MAC addresses outlive ARP entries, on 5 of 5 switches" + at,
		proof.HostsDrain: "not checked; forwarding is off or harmless, on 3 of 3 hosts" + at,
		proof.Classified: "not checked", proof.GuaranteedBuffer: "not checked", proof.PausesWork: "not checked", // no settings were read
	}, states)

	for _, leaf := range []string{"l1", "l2", "l3"} {
		n.configure("s1", "router bgp 65000", "address-family ipv4 unicast", "neighbor "+n.port("s1", leaf)+" allowas-in 1")
	}
	n.await(append(healthy, "s1 10.0.2.2/32 l1,l2,l3")...)
	s1, s2 := n.read("s1"), n.read("s2")
	assert.Equal(t, ir.ForwardingPeer{Port: n.port("s1", "l1"), AS: 65101, Up: true, AllowsAS: 1}, n.peerOf(s1, "l1"))
	assert.Equal(t, ir.ForwardingPeer{Port: n.port("s2", "l1"), AS: 65101, Up: true}, n.peerOf(s2, "l1"))
	j = judgeForwarding(t, n.f, n.answers())
	const allows = "error claim-allowas-in: s1 accepts routes that contain its own AS number (allowas-in 1), from its neighbours at " +
		"swp[1-3]. So routes may lead up again after they led down."
	assert.Equal(t, []string{allows}, j.found(), "no route uses it while all links are up")
	assert.Equal(t, "contradicted by s1", j.Of(proof.ASNumbers).Text())

	n.in("l3", n.ip, "link", "set", n.port("l3", "s1"), "down")
	n.in("l1", n.ip, "link", "set", n.port("l1", "s2"), "down")
	n.await("s1 10.1.3.0/24 l2", "s2 10.1.1.0/24 none", "l3 10.1.2.0/24 s2", "l1 10.1.3.0/24 s1") // only s1 takes such routes
	assert.False(t, n.peerOf(n.read("l3"), "s1").Up)
	j = judgeForwarding(t, n.f, n.answers())
	assert.Equal(t, []string{
		allows, "error claim-turn: l2 sends traffic for h3:eth0 by its route to 10.1.3.0/24, which came in at swp2 from s1, out at swp3 to s2: " +
			"it came down and goes up again.",
	}, j.found())
	assert.Equal(t, "contradicted by l2 and s1", j.Of(proof.ASNumbers).Text())
	assert.Equal(t, proof.Free, j.running().Verdict, "s2 refuses such routes, so the turn closes no circle")

	n.in("l3", n.ip, "link", "set", n.port("l3", "s1"), "up")
	n.in("l1", n.ip, "link", "set", n.port("l1", "s2"), "up")
	for _, leaf := range []string{"l1", "l2", "l3"} {
		n.configure("s1", "router bgp 65000", "address-family ipv4 unicast", "no neighbor "+n.port("s1", leaf)+" allowas-in")
	}
	for _, s := range []string{"s1", "s2"} {
		n.configure(s, "router bgp 65000", "address-family ipv4 unicast", "aggregate-address 10.0.0.0/8")
	}
	n.configure("l3", "router bgp 65103", "no bgp network import-check", "address-family ipv4 unicast", "network 10.77.0.0/16")
	n.in("s2", n.ip, "route", "add", "10.0.0.0/8", "dev", n.port("s2", "l1"))
	n.await(append(healthy, "s1 10.0.0.0/8", "s2 10.0.0.0/8 l1", "s1 10.77.0.0/16 l3", "s1 10.0.2.2/32 none")...)
	s1, s2 = n.read("s1"), n.read("s2")
	ten := netip.MustParsePrefix("10.0.0.0/8")
	assert.Equal(t, []ir.ForwardingAggregate{{Prefix: ten, Discard: true}}, s1.BGP.Aggregates, "FRRouting adds a discard route")
	assert.Equal(t, []ir.ForwardingAggregate{{Prefix: ten}}, s2.BGP.Aggregates, "a route of the kernel takes its place")
	assert.Equal(t, []ir.ForwardingAggregate{{Prefix: netip.MustParsePrefix("10.77.0.0/16")}}, n.read("l3").BGP.Aggregates)
	j = judgeForwarding(t, n.f, n.answers())
	const drops = " and has no route that drops packets without a longer prefix. Packets for a part that is gone follow a shorter route, " +
		"such as a default route, back up."
	aggregates := []string{
		"error claim-aggregate: s2 announces the aggregate 10.0.0.0/8" + drops,
		"error claim-aggregate: l3 announces the aggregate 10.77.0.0/16" + drops,
	}
	assert.Equal(t, aggregates, j.found(), "s1 has a discard route")
	assert.Equal(t, "contradicted by l3 and s2", j.Of(proof.Aggregates).Text())
	assert.Equal(t, switches, j.Of(proof.ASNumbers).Text(), "the plan is whole again")

	n.configure("l2", "route-map LONGER permit 10", "set as-path prepend 65102 65102", "router bgp 65102", "address-family ipv4 unicast",
		"neighbor "+n.port("l2", "s1")+" route-map LONGER out")
	n.await("l1 10.1.2.0/24 s2", "l3 10.0.1.2/32 s2", "s1 10.1.2.0/24 l2")
	l2 := n.read("l2")
	assert.Equal(t, ir.ForwardingPeer{Port: n.port("l2", "s1"), AS: 65000, Up: true, Prepends: true}, n.peerOf(l2, "s1"))
	assert.Equal(t, ir.ForwardingPeer{Port: n.port("l2", "s2"), AS: 65000, Up: true}, n.peerOf(l2, "s2"))
	j = judgeForwarding(t, n.f, n.answers())
	const longer = "error claim-prepending: l2 makes AS paths longer in its routes with the neighbour at swp2. So a longer path of cables " +
		"may count as shorter."
	assert.Equal(t, append(aggregates, longer), j.found())
	assert.Equal(t, "contradicted by l2", j.Of(proof.NoPrepending).Text())

	for _, leaf := range []string{"l1", "l2", "l3"} {
		n.configure("s1", "router bgp 65000", "address-family ipv4 unicast", "neighbor "+n.port("s1", leaf)+" allowas-in 1")
	}
	n.await("s1 10.1.2.0/24 l1,l2,l3") // the prepended path of l2 is as long as the paths down to a leaf and up again
	j = judgeForwarding(t, n.f, n.answers())
	want := []string{aggregates[0], allows, aggregates[1], longer}
	assert.Equal(t, want, j.found(), "no leaf sends traffic for h2 to s1, so these routes of s1 have no turn")
	assert.Equal(t, proof.Free, j.running().Verdict)
}
