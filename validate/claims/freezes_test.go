package claims_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// written returns the text of a fabric. switches are "name" or "name tier asn"; a host is "name port port...", and "name! ..." forwards;
// links are "a-b", to the next free port of each.
func written(fabric, switches, hosts, links string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "fabric \"t\" {\n  cable_length = \"5m\"\n  %s\n}\n", fabric)
	b.WriteString(`cos_group "rdma" {
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
`)
	ports := map[string]int{}
	next := func(name string) string {
		ports[name]++
		if strings.HasPrefix(name, "h") || name == "k8s" {
			return fmt.Sprintf("%s:eth%d", name, ports[name])
		}
		return fmt.Sprintf("%s:swp%d", name, ports[name])
	}
	var cables, members []string
	for i, l := range strings.Fields(links) {
		x, y, _ := strings.Cut(l, "-")
		cables = append(cables, fmt.Sprintf("link \"l%d\" {\n  a     = %q\n  b     = %q\n  speed = \"100G\"\n}\n", i, next(x), next(y)))
	}
	for s := range strings.SplitSeq(switches, ",") {
		f := strings.Fields(s)
		fmt.Fprintf(&b, "switch %q {\n  model   = \"sn2700\"\n  version = \"4.3.0\"\n", f[0])
		for i, key := range []string{"tier", "asn"} {
			if len(f) > i+1 {
				fmt.Fprintf(&b, "  %s = %s\n", key, f[i+1])
			}
		}
		b.WriteString("}\n")
	}
	for h := range strings.FieldsSeq(hosts) {
		name, forwards := strings.CutSuffix(h, "!")
		fmt.Fprintf(&b, "host %q {\n", name)
		if forwards {
			b.WriteString("  forwards = true\n")
		}
		for i := range ports[name] {
			fmt.Fprintf(&b, "  nic \"eth%d\" {\n    model = \"connectx-6-dx\"\n    mtu   = 9000\n  }\n", i+1)
			members = append(members, fmt.Sprintf("%q", fmt.Sprintf("%s:eth%d", name, i+1)))
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "roce \"i0\" {\n  version   = 2\n  cos_group = cos_group.rdma\n  cnp       = cos_group.cnp\n  members   = [%s]\n}\n",
		strings.Join(members, ", "))
	return b.String() + strings.Join(cables, "")
}

// Fabrics whose cause of a freeze the model of the proof does not have: Guo et al. (SIGCOMM
// 2016) sections 4.2 to 4.4, SONiC's two top-of-rack switches, PVRST, an aggregate without a discard route in FRR before 2018, a node that
// routes. The verdict names the assumption, and an answer of a device that shows the cause is a finding.
func TestRealFreezes(t *testing.T) {
	tree := func(vlan int, root string, d *ir.Device, blocked string) ir.ForwardingTree {
		out := ir.ForwardingTree{VLAN: vlan, Root: root, Bridge: d.Name, States: map[string]string{}}
		for _, p := range d.Ports {
			if out.States[p.Name] = "forwarding"; p.Peer().Device().Name == blocked {
				out.States[p.Name] = "blocking"
			}
		}
		return out
	}
	for name, x := range map[string]struct {
		text        string
		certificate proof.Certificate
		code        proof.AssumptionCode
		says        string
		answer      func(r *ir.Forwarding)
		finding     string
	}{
		"a slow receiver": {
			written(`routing = "up-down"`, "s0", "h0 h1 h2", "h0-s0 h1-s0 h2-s0"), proof.ByForest, proof.HostsDrain,
			"hosts drain what they receive", nil, "",
		},
		"two switches flood": {
			written(`routing = "up-down"`, "t0 1,t1 1,la 2,lb 2", "h0 h1 h2 h3", "t0-la t0-lb t1-la t1-lb h0-t0 h1-t0 h2-t1 h3-t1"), proof.ByUpDown,
			proof.NoFlooding, "no flooded, multicast or unknown-unicast frame is classified lossless",
			func(r *ir.Forwarding) {
				if strings.HasPrefix(r.Device.Name, "t") {
					r.Ages = &ir.ForwardingAges{MAC: 5 * time.Minute, ARP: 4 * time.Hour}
				}
			}, "error claim-flooding: t[0-1] forgets MAC addresses after 5m0s",
		},
		"an aggregate and a default route": {
			written(`routing = "ebgp"`+"\n  failures = 1", "l0 1 65101,l1 1 65102,p0 2 65001,p1 2 65001,c0 3 65000", "h0 h1",
				"l0-p0 l0-p1 l1-p0 l1-p1 p0-c0 p1-c0 h0-l0 h1-l1"), proof.ByASPlan,
			proof.Aggregates, "aggregates are announced with a discard route",
			func(r *ir.Forwarding) {
				if r.Device.Name[0] == 'p' {
					r.BGP = &ir.ForwardingBGP{AS: 65001, Aggregates: []ir.ForwardingAggregate{{Prefix: netip.MustParsePrefix("10.1.0.0/16")}}}
				}
			}, "error claim-aggregate: p[0-1] announces the aggregate 10.1.0.0/16",
		},
		"a tunnel to the other top-of-rack switch": {
			written(`routing = "up-down"`, "ut 1,lt 1,leaf 2", "h0 h1 h2", "ut-leaf lt-leaf h0-ut h1-lt h2-leaf"), proof.ByForest, proof.NoTunnels,
			"no switch tunnels lossless packets",
			func(r *ir.Forwarding) {
				if r.Device.Name == "ut" {
					r.Tunnels = []ir.ForwardingTunnel{{Name: "MuxTunnel0", Kind: "ipip", Remote: netip.MustParseAddr("10.1.0.33")}}
				}
			}, "error claim-tunnel: ut sends packets into the tunnel MuxTunnel0",
		},
		"a tree for each VLAN": {
			written(`routing = "spanning-tree"`, "s0,s1,s2,s3", "h0 h1 h2 h3", "s0-s1 s1-s2 s2-s3 s3-s0 h0-s0 h1-s1 h2-s2 h3-s3"),
			proof.BySpanningTree, proof.SpanningTreeRuns, "one spanning tree for all VLANs",
			func(r *ir.Forwarding) {
				if d := r.Device; d.Switch != nil {
					r.Trees = []ir.ForwardingTree{
						tree(10, "s0", d, map[string]string{"s1": "s2"}[d.Name]), tree(20, "s2", d, map[string]string{"s3": "s0"}[d.Name]),
					}
				}
			}, "error claim-spanning-tree: s[0-3] has a tree for each VLAN",
		},
		"a node that routes": {
			written(`routing = "shortest-path"`+"\n  failures = 1", "l0 1,l1 1,p0 2,p1 2", "h0 h1 h2 h3 k8s",
				"l0-p0 l1-p1 p0-p1 h0-l0 h1-l1 h2-p0 h3-p1 k8s-l0 k8s-l1"), proof.ByForest, proof.HostsDrain,
			"forward nothing, except those with forwards = true",
			func(r *ir.Forwarding) {
				if r.Device.Name == "k8s" {
					r.Host = &ir.ForwardingHost{Forwards: true, Daemons: []string{"bird"}}
				}
			}, "error claim-host-forwards: k8s forwards packets between its interfaces (ip_forward is on) and runs routing (bird)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := compilertest.Compile(t, x.text)
			found := validate.Run(f, nil)
			require.Len(t, found.Proofs, 1)
			p := found.Proofs[0]
			require.Equal(t, validate.Free, p.Verdict)
			assert.Equal(t, x.certificate, p.Certificate)
			assert.Contains(t, strings.Join(p.AssumptionTexts(), "\n"), x.says)
			if x.answer == nil {
				return
			}
			seen := &claims.Seen{By: "snapshot"}
			for _, d := range f.Devices {
				r := &ir.Forwarding{Device: d}
				x.answer(r)
				seen.Devices = append(seen.Devices, r)
			}
			r := claims.Judge(f, []*proof.Proof{p.Proof}, seen, ir.NewBudget(validate.DefaultBudget))
			var all []string
			for _, d := range r.Findings {
				all = append(all, d.Severity.String()+" "+d.Code+": "+d.Detail)
			}
			assert.Contains(t, strings.Join(all, "\n"), x.finding)
			assert.NotEmpty(t, r.Of(x.code).False)
		})
	}
}

// A node that the fabric says routes is part of the graph, and the fabric is prone.
func TestHostThatSaysSo(t *testing.T) {
	f := compilertest.Compile(t, written(`routing = "shortest-path"`+"\n  failures = 1", "l0 1,l1 1,p0 2,p1 2", "h0 h1 h2 h3 k8s!",
		"l0-p0 l1-p1 p0-p1 k8s-l0 k8s-l1 h0-l0 h1-l1 h2-p0 h3-p1"))
	assert.Equal(t, validate.Prone, validate.Run(f, nil).Proofs[0].Verdict)
}
