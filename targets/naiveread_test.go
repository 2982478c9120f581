package targets_test

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue"
	"github.com/rocec/rocec/targets/sonic"
	"github.com/rocec/rocec/targets/target"
)

// naively reads the contents of a device with the readers of the tests. The result is by name of each NIC; a switch has the name "".
func naively(d *target.Device, contents map[string][]byte) map[string]*box {
	out, before := map[string]*box{}, ""
	for _, f := range d.Files {
		text := string(contents[f.Path])
		switch dir, base := path.Split(f.Path); {
		case f.Path == nvue.Path:
			out[""] = readNVUE(text)
		case f.Path == sonic.Path:
			out[""] = readSONiC(text)
		case classifies(base):
			out[""] = readSwitch(before + text)
		case d.Role == target.Switch:
			before = text
		case dir == "/etc/rocec/host/":
			name := strings.TrimSuffix(base, ".conf")
			out[name] = readNIC(name, text)
		}
	}
	return out
}

// sameAsNaive compares the known values of a target's reader with those of the readers of the tests.
func sameAsNaive(t *rapid.T, d *target.Device, contents map[string][]byte, got *ir.Settings, kind string) {
	boxes := naively(d, contents)
	for _, p := range d.Source.Ports {
		name, s := "", got.Port(p.Name)
		if p.NIC != nil {
			if name = p.Name; len(p.NIC.Carries()) == 0 {
				continue
			}
		}
		b := boxes[name]
		require.NotNil(t, b, p.String())
		says := fmt.Sprintf("%s (%s, over %s)", p, d.Target.Name, kind)
		sorts := b.sorter(p.Name)
		if s.TrustKnown && !b.overridden[p.Name] {
			require.Equal(t, ir.Trust{PCP: sorts.trustPCP, DSCP: sorts.trustDSCP}, s.Trust, says)
		}
		for v := range 64 {
			if cos := sorts.classify(p.Name, packet{ip: true, dscp: v}); s.TrustKnown && s.Trust.DSCP && !b.overridden[p.Name] {
				require.Equal(t, cos, int(s.DSCP[v]), "%s: DSCP %d", says, v)
			}
			if cos := sorts.classify(p.Name, packet{tagged: true, pcp: v % 8}); s.TrustKnown && s.Trust.PCP && !b.overridden[p.Name] {
				require.Equal(t, cos, int(s.PCP[v%8]), "%s: PCP %d", says, v%8)
			}
		}
		for cos := range 8 {
			if e := b.end(p.Name, cos); s.PausesKnown {
				require.Equal(t, [2]bool{e.pause || e.sends, e.pause || e.obeys}, [2]bool{s.Sends>>cos&1 == 1, s.Obeys>>cos&1 == 1},
					"%s: pauses of %d", says, cos)
			}
			if p.NIC != nil {
				continue
			}
			sameQueue(t, p, b, s, cos, says)
		}
	}
}

// sameQueue compares marks and shares of a priority.
func sameQueue(t *rapid.T, p *ir.Port, b *box, s *ir.PortSettings, cos int, says string) {
	detail := s.Detail.Get()
	n := detail.Queue[cos]
	if n < 0 {
		return
	}
	q := detail.Queues[n]
	if marks := b.marks[p.Name][cos] || b.marksAll[cos]; q.ECN.Is == ir.Stated {
		require.Equal(t, marks, q.ECN.Value, "%s: marks of %d", says, cos)
		if marks && q.MarkMin.Is == ir.Stated {
			require.Equal(t, b.thresholds(p.Name, cos), [3]int{q.MarkMin.Value, q.MarkMax.Value, q.Probability.Value}, "%s: marks of %d", says, cos)
		}
	}
	if share, stated := b.shares(p.Name)[cos]; stated && q.Strict.Is == ir.Stated {
		require.Equal(t, share == 0, q.Strict.Value, "%s: share of %d", says, cos)
		if q.Share.Is == ir.Stated {
			require.Equal(t, share, q.Share.Value, "%s: share of %d", says, cos)
		}
	}
}

// shuffled returns the contents of a device in another order, with additional unknown keys and comments.
func shuffled(t *rapid.T, d *target.Device, contents map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range d.Files {
		text := contents[f.Path]
		switch {
		case f.Path == nvue.Path:
			out[f.Path] = shuffledTree(t, text)
		case len(text) > 0:
			lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
			lines[len(lines)-1] = append(slices.Clone(lines[len(lines)-1]), '\n')
			if f.Path == sonic.Path {
				lines = append(lines, []byte("NOBODYS_TABLE|row field \"1\"\n"))
			} else {
				lines = append(lines, []byte("# a comment\n"), []byte("nobodys.key = 7\n"))
			}
			at := rapid.IntRange(1, len(lines)).Draw(t, "turn") // a rotation and a swap, because drawing a permutation is slow
			lines = slices.Concat(lines[at:], lines[:at])
			for i := 0; i+1 < len(lines); i += 2 {
				lines[i], lines[i+1] = lines[i+1], lines[i]
			}
			out[f.Path] = bytes.Join(lines, nil)
		}
	}
	return out
}

// shuffledTree returns a tree of NVUE with the keys of every mapping in reverse order.
func shuffledTree(t *rapid.T, text []byte) []byte {
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &doc))
	var turn func(n *yaml.Node)
	turn = func(n *yaml.Node) {
		for _, c := range n.Content {
			turn(c)
		}
		if n.Kind == yaml.MappingNode {
			var pairs []*yaml.Node
			for i := len(n.Content) - 2; i >= 0; i -= 2 {
				pairs = append(pairs, n.Content[i], n.Content[i+1])
			}
			n.Content = pairs
			if len(pairs) > 0 {
				pairs[0].HeadComment = "# a comment"
			}
		}
	}
	turn(&doc)
	out, err := yaml.Marshal(&doc)
	require.NoError(t, err)
	return out
}
