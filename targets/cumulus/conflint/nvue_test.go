package conflint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/cumulus/conflint"
)

// A configuration of NVUE as `nv config show -o json` prints it is judged like the file in YAML, at its lines.
func TestNVUEAsJSON(t *testing.T) {
	const text = `[
  {"header": {"model": "mlnx", "version": "Cumulus Linux 5.9.1"}},
  {"set": {"qos": {
    "pfc": {"mine": {"switch-priority": {"9": {}}, "tx": "enable", "rx": "enable", "cable-length": 5}}
  }}}
]
`
	r := conflint.Check([]conflint.File{{Name: "spine1.json", Data: []byte(text)}})
	assert.Equal(t, []string{"configuration of NVUE of Cumulus Linux 5.9.1"}, r.Dialects)
	require.NotEmpty(t, r.Diagnostics)
	assert.Equal(t, "conf-nvue-value", r.Diagnostics[0].Code)
	assert.Equal(t, 4, r.Diagnostics[0].At.Start.Line)
}
