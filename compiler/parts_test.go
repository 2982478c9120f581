package compiler

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// A part number names the model and changes nothing else; a switch_model block with that name takes precedence.
func TestPartNumbers(t *testing.T) {
	model := func(text string) string {
		f, ds := Compile(loaded(t, fstest.MapFS{"fabric.hcl": {Data: []byte("fabric \"f\" {}\n" + text)}}, "."), ir.Known{})
		require.False(t, ds.HasErrors(), "%v", ds)
		return f.Devices[0].Switch.Model.Title
	}
	block := func(name string) string { return "switch \"leaf\" {\n  model = \"" + name + "\"\n  os = \"x\"\n}\n" }
	assert.Equal(t, "Mellanox SN3700", model(block("MSN3700-VS2F")))
	assert.Equal(t, "Mellanox SN3700C", model(block("msn3700-cs2r")))
	assert.Equal(t, model(block("7060cx-32s")), model(block("DCS-7060CX-32S-F")))
	own := "switch_model \"MSN3700-VS2F\" {\n  asic = \"spectrum\"\n  ports = 4\n  speed = \"100G\"\n}\n"
	assert.Equal(t, "MSN3700-VS2F", model(own+block("MSN3700-VS2F")))
}
