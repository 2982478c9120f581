package traffic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/target"
)

// marked returns an exchange through one switch port that marks from the given number of bytes on.
func marked(least int) *Exchange {
	x := exchange(2)
	g := x.Intent.Group
	g.ECN = &ir.ECN{}
	f := &ir.Fabric{CosGroups: []*ir.CosGroup{g}, Intents: []*ir.Intent{x.Intent}}
	sw := &ir.Device{Name: "leaf1", Fabric: f, Switch: &ir.Switch{Model: &platform.Switch{ASIC: &platform.ASIC{Cell: 144, MarkStep: 9216}}}}
	host := &ir.Device{Name: "h2", ID: 1, Fabric: f, Host: &ir.Host{}}
	f.Devices = []*ir.Device{sw, host}
	port := func(name string, id int) *ir.Port {
		p := ir.NewPort(sw, ir.PortSpec{ID: id, Index: id, Name: name})
		p.SetMarks([]*ir.Mark{{Group: g, Min: ir.Derived{N: least}, Max: ir.Derived{N: 10 * least}, Probability: ir.Derived{N: 100}}})
		sw.Ports = append(sw.Ports, p)
		return p
	}
	in, out := port("swp1", 0), port("swp2", 1)
	x.To = &ir.NIC{Name: "ens1f0", Device: host, TOS: -1}
	host.Host.NICs = []*ir.NIC{x.To}
	x.To.Port = ir.NewPort(host, ir.PortSpec{ID: 2, Name: "ens1f0", NIC: x.To})
	host.Ports = []*ir.Port{x.To.Port}
	x.Intent.Members = []*ir.Member{{NIC: x.To}}
	f.Ports = []*ir.Port{in, out, x.To.Port}
	f.Links = []*ir.Link{ir.NewLink(out, x.To.Port, ir.Link{})}
	x.Path = []Hop{{Out: []*ir.Port{x.From.Port}}, {In: []*ir.Port{in}, Out: []*ir.Port{out}}, {In: []*ir.Port{x.To.Port}}}
	return x
}

// The queue belongs to the port to the receiver. In a copy of the fabric, its thresholds are the smallest of the chip.
func TestMarking(t *testing.T) {
	m, why := NewMarking(marked(150_000))
	require.Empty(t, why)
	assert.Equal(t, "leaf1:swp2", m.Queue.String())
	assert.Equal(t, 9216, m.Low.Min.N)
	assert.Equal(t, 18432, m.Low.Max.N)
	f := m.Fabric()
	assert.Equal(t, 9216, f.Devices[0].Ports[1].Marks()[0].Min.N)
	assert.Equal(t, 150_000, f.Devices[0].Ports[0].Marks()[0].Min.N, "another queue")
	assert.Equal(t, 150_000, m.Queue.Marks()[0].Min.N, "the fabric itself")
	assert.Len(t, m.Exposed(), 1)
	assert.Equal(t, "h2", m.Exposed()[0].Name)
}

func TestMarkingRefused(t *testing.T) {
	for why, change := range map[string]func(x *Exchange){
		"RoCEv1 carries no ECN bits":     func(x *Exchange) { x.Intent.Version = 1 },
		"cos group rdma is not marked":   func(x *Exchange) { x.Intent.Group.ECN = nil },
		"packets reach h2 by several":    func(x *Exchange) { x.Path[1].Out = append(x.Path[1].Out, x.Path[1].In...) },
		"leaf1 is set by hand":           func(x *Exchange) { x.Path[1].In[0].Device().ByHand = &ir.ByHand{} },
		"drops packets beyond a thresh":  func(x *Exchange) { x.Path[1].In[0].Device().Switch.Can.Drops = "WRED drops" },
		"does not mark cos group rdma":   func(x *Exchange) { x.Path[1].Out[0].SetMarks(nil) },
		"is the least that its chip can": func(x *Exchange) { x.Path[1].Out[0].Marks()[0].Min.N = 9216 },
	} {
		x := marked(150_000)
		change(x)
		m, got := NewMarking(x)
		assert.Nil(t, m, why)
		assert.Contains(t, got, why)
	}
}

// The receiver counts traffic of others. If it does not, such traffic cannot be excluded.
func TestQuiet(t *testing.T) {
	m, _ := NewMarking(marked(150_000))
	at := func(keys map[string]uint64) map[*ir.Device]Counts {
		return map[*ir.Device]Counts{m.Exchange.To.Device: {"ens1f0": keys}}
	}
	assert.Empty(t, m.Quiet(at(map[string]uint64{"rx3": 7, "rx0": 1}), at(map[string]uint64{"rx3": 7, "rx0": 99})))
	assert.Contains(t, m.Quiet(at(map[string]uint64{"rx3": 7}), at(map[string]uint64{"rx3": 8})), "1 packet of others")
	assert.Contains(t, m.Quiet(at(map[string]uint64{"rx": 7}), at(map[string]uint64{"rx": 7})), "cannot be excluded")
	assert.Contains(t, m.Quiet(nil, nil), "cannot be excluded")
}

func TestJudgeMarking(t *testing.T) {
	m, _ := NewMarking(marked(150_000))
	const (
		zero = "np_cnp_sent 7\nnp_ecn_marked_roce_packets 7\nrp_cnp_handled 7"
		five = "np_cnp_sent 12\nnp_ecn_marked_roce_packets 12\nrp_cnp_handled 12"
	)
	stage := func(from, to string) *Stage {
		return &Stage{FromBefore: []byte(zero), FromAfter: []byte(from), ToBefore: []byte(zero), ToAfter: []byte(to)}
	}
	still := stage(zero, zero)
	for says, c := range map[string]struct {
		Stages
		want target.Verdict
	}{
		"was not sent":          {Stages{}, target.NotDecided},
		"h2 does not count":     {Stages{still, stage(five, ""), still}, target.NotDecided},
		"h1 does not count":     {Stages{still, stage("", five), still}, target.NotDecided},
		"never held 9216 bytes": {Stages{still, still, still}, target.NotDecided},
		"sent no notification": {
			Stages{still, stage(five, "np_cnp_sent 7\nnp_ecn_marked_roce_packets 12"), still}, target.NotDecided,
		},
		"acted on none":                         {Stages{still, stage(zero, five), still}, target.NotDecided},
		"5 packets with a mark reached h2 befo": {Stages{stage(five, five), stage(five, five), still}, target.NotDecided},
		"No exchange was counted":               {Stages{still, stage(five, five), nil}, target.NotDecided},
		"leaf1:swp2 still uses the low":         {Stages{still, stage(five, five), stage(zero, five)}, target.DoesNotHold},
		"leaf1:swp2 marks, h2 notifies, and h1": {Stages{still, stage(five, five), still}, target.Holds},
	} {
		r := m.Judge(c.Stages)
		assert.Contains(t, r.Says, says)
		assert.Equal(t, c.want, r.Verdict, says)
		assert.Equal(t, c.want == target.Holds, r.Good(), says)
	}
	assert.Equal(t, Notices{"a": 5}, ReadNotices([]byte("a 5\nb x\nc\n1 2 3\n")))
}
