package trace

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate/walk"
)

// Equal pairs of interfaces are one line.
func TestPairsText(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("../../../../examples/gpu-pod"), ".", judge.Options{})
	port := func(host, rail string) []*ir.Port {
		d, err := facts.FindDevice(f.Fabric, host)
		require.NoError(t, err)
		p, err := facts.FindPort(d, "rail"+rail)
		require.NoError(t, err)
		return []*ir.Port{p}
	}
	for _, tc := range []struct{ pairs, want string }{
		{"11 22", "2 pairs of interfaces alike; each with the interface of the same name"},
		{"12 21", "2 pairs of interfaces alike; each with the interfaces of other names"},
		{"11 12 21 22", "4 pairs of interfaces alike; each with each"},
		{"13 23", "2 pairs of interfaces alike; each with each"},
		{"11 13 22", "3 pairs of interfaces alike; rail1 with rail[1,3]; rail2 with rail2"},
	} {
		var traces []*walk.Trace
		for pair := range strings.FieldsSeq(tc.pairs) {
			traces = append(traces, &walk.Trace{From: port("gpu01", pair[:1]), To: port("gpu02", pair[1:])})
		}
		require.Equal(t, tc.want, strings.Join(pairsText(traces), "; "))
	}
}
