package tools

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Outputs of cmdlets.
const (
	willingText = "PS C:\\> Get-NetQosDcbxSetting\n\nWilling PolicySet        IfIndex IfAlias\n------- ---------        ------- -------\n"
	flowText    = "PS C:\\> Get-NetQosFlowControl\n\nPriority   Enabled    PolicySet        IfIndex IfAlias\n" +
		"--------   -------    ---------        ------- -------\n"
	adapterText = "PS C:\\> Get-NetAdapterQos\n\nName                       : SLOT 3\nEnabled                    : True\n" +
		"OperationalFlowControl     : Priorities 3,5 Enabled\n"
)

// flowOf returns the rows of a policy with PFC on one priority.
func flowOf(priority int, where string) string {
	var b strings.Builder
	b.WriteString(flowText)
	for p := range 8 {
		b.WriteString(string(rune('0'+p)) + map[bool]string{true: "  True  ", false: "  False  "}[p == priority] + where + "\n")
	}
	return b.String()
}

// The values in force on an adapter have precedence over its policy, and its policy over the policy of the system. A willing adapter has no
// policy.
func TestWindowsPolicies(t *testing.T) {
	system, own := flowOf(1, "Global"), flowOf(2, "AdapterSpecific  7  SLOT 3")
	willing := func(word, where string) string { return willingText + word + "    " + where + "\n" }
	for _, c := range []struct {
		name, text string
		known      bool
		pfc        uint8
		moment     ir.Moment
	}{
		{"system", system, true, 1 << 1, ir.Stored},
		{"adapter", own, true, 1 << 2, ir.Stored},
		{"both", own + system, true, 1 << 2, ir.Stored},
		{"the other way round", system + own, true, 1 << 2, ir.Stored},
		{"in force", adapterText, true, 1<<3 | 1<<5, ir.Running},
		{"in force, before", adapterText + own + system, true, 1<<3 | 1<<5, ir.Running},
		{"in force, after", system + own + adapterText, true, 1<<3 | 1<<5, ir.Running},
		{"willing", system + own + willing("True", "Global"), false, 0, ir.Running},
		{"willing, before", willing("True", "Global") + system, false, 0, ir.Running},
		{"not willing", system + willing("False", "Global"), true, 1 << 1, ir.Stored},
		{"another adapter is not", system + willing("True", "Global") + willing("False", "AdapterSpecific 7 SLOT 3"), true, 1 << 1, ir.Stored},
		{"this one is", system + willing("False", "Global") + willing("True", "AdapterSpecific 7 SLOT 3"), false, 0, ir.Stored},
		{"QoS is off", system + strings.Split(strings.Replace(adapterText, ": True", ": False", 1), "Operational")[0], true, 0, ir.Running},
		{"all", strings.Replace(adapterText, "Priorities 3,5", "All Priorities", 1), true, 0xff, ir.Running},
		{"none", strings.Replace(adapterText, "Priorities 3,5 Enabled", "All Priorities Disabled", 1), true, 0, ir.Running},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, u := port(t, target.Identity{Ports: []string{"Slot3"}}, map[string]string{"x": c.text})
			require.Contains(t, u.Settings.Ports, "Slot3", "case and spaces of a name do not matter")
			pfc := p.Detail.Get().PFC
			assert.Equal(t, c.known, pfc.Known())
			assert.Equal(t, c.pfc, pfc.Value)
			assert.Empty(t, u.Coverage.Not)
			if c.known {
				assert.Equal(t, c.moment, u.Settings.Moment)
			}
		})
	}
}

// A file is read in the encoding of Windows PowerShell, and in a format without command lines.
func TestWindowsFiles(t *testing.T) {
	id := target.Identity{Ports: []string{"SLOT3"}}
	utf := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	plain := adapterText[strings.Index(adapterText, "Name"):]
	for name, text := range map[string]string{
		"UTF-16": utf(binary.LittleEndian, adapterText), "UTF-16 of others": utf(binary.BigEndian, adapterText), "mark": "\ufeff" + adapterText,
		"CRLF": strings.ReplaceAll(adapterText, "\n", "\r\n"), "no command": plain,
		"prompt": strings.Replace(adapterText, "PS C:\\>", "PS>", 1), "remote": "[win1]: " + adapterText,
		"case": strings.Replace(adapterText, "Get-NetAdapterQos", "get-netadapterqos -Name *", 1),
		"pipe": strings.Replace(adapterText, "Get-NetAdapterQos", "Get-NetAdapterQos | Where-Object { $_.Enabled } | Format-List", 1),
	} {
		t.Run(name, func(t *testing.T) {
			p, u := port(t, id, map[string]string{"x.txt": text})
			assert.Equal(t, ir.Of[uint8](1<<3|1<<5), p.Detail.Get().PFC)
			assert.Empty(t, u.Coverage.Not)
		})
	}
}

// A place covers the bytes of its line in the file.
func TestPlacesHaveBytes(t *testing.T) {
	for _, text := range []string{adapterText, "# a comment\n#!/x\n" + adapterText} {
		u := Understand(target.Identity{Ports: []string{"SLOT3"}}, bytesOf(map[string]string{"x": text}))
		at, ok := u.Where("SLOT3", ir.FieldPauses, 3)
		require.True(t, ok)
		assert.Equal(t, "OperationalFlowControl     : Priorities 3,5 Enabled", string(at.SliceBytes([]byte(text))))
	}
}

// A malformed value affects only its row. A cmdlet that sets a value is not confused with one that prints it.
func TestWindowsSlips(t *testing.T) {
	id := target.Identity{Ports: []string{"SLOT3"}}
	for text, why := range map[string]string{
		strings.Replace(adapterText, "Priorities 3,5", "Priorities 3,9", 1):                             noSense,
		strings.Replace(adapterText, "3,5 Enabled", "3,5 Perhaps", 1):                                   noSense,
		strings.Replace(flowOf(3, "Global"), "3  True", "3  Maybe", 1):                                  noSense,
		flowOf(3, "Global") + "8  True  Global\n":                                                       noSense,
		adapterText + "PS C:\\> Enable-NetQosFlowControl -Priority 3\n":                                 sets,
		"PS C:\\> Get-NetQosTrafficClass\n\nName Algorithm Bandwidth(%) Priority\nx ETS 3\n":            noSense,
		"PS C:\\> Get-NetQosTrafficClass\n\nName Algorithm Bandwidth(%) Priority\nx ETS 300 3 Global\n": noSense,
		"PS C:\\> Get-NetAdapterAdvancedProperty\n\nName DisplayName DisplayValue RegistryKeyword RegistryValue\n" +
			"SLOT 3 Flow Control x *FlowControl {9}\n": noSense,
	} {
		u := Understand(id, bytesOf(map[string]string{"x": text}))
		require.Len(t, u.Coverage.Not, 1, text)
		assert.Equal(t, why, u.Coverage.Not[0].Why, text)
	}
}
