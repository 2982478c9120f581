package grammar_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
)

// TestMeans: every field of every table either sets a value of ir.Settings or has a reason why it sets none.
func TestMeans(t *testing.T) {
	set := map[ir.Field]bool{}
	for i := range grammar.Tables {
		of := &grammar.Tables[i]
		assert.NotEmpty(t, of.Fields, of.Name)
		for _, f := range of.Fields {
			assert.NotEqual(t, f.Means == ir.NoField, f.Aside == "", "%s %s", of.Name, f.Name)
			set[f.Means] = true
		}
		_, other := grammar.OtherTable(of.Name)
		assert.False(t, other, "%s is a table of QoS and must not be among the other tables", of.Name)
	}
	for _, f := range []ir.Field{
		ir.FieldLinkPause, ir.FieldXoff, ir.FieldDrop, ir.FieldQueueLimit, ir.FieldPreset, ir.FieldStamps,
		ir.FieldDefaultCos, ir.FieldVLANMap,
	} { // SONiC has no field for these, or only a field that also sets another value
		set[f] = true
	}
	for _, f := range ir.Fields() {
		assert.True(t, set[f], "no field of CONFIG_DB sets %s", f)
	}
}

// TestOtherTables: a table has the common reason, its own reason, or is unknown.
func TestOtherTables(t *testing.T) {
	for name, want := range map[string]string{
		"VLAN":           "tables that set neither classes nor buffers",
		"DSCP_TO_FC_MAP": "forwarding classes choose a next hop, and no queue",
		"AQM":            "",
	} {
		why, ok := grammar.OtherTable(name)
		assert.Equal(t, want, why, name)
		assert.Equal(t, want != "", ok, name)
	}
}
