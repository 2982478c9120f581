package report

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/report/reporttest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// The JSON has every reason, assumption and note.
func TestJSONFacts(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4)
	f := c.Fabric()
	lossy := &ir.CosGroup{Name: "bulk"}
	detour := &ir.CosGroup{Name: "detour", Bounce: lossy}
	circle := []validate.Wait{{In: f.Ports[0], Out: f.Ports[7], Group: c.Group}}
	const hop, link = `{"device":"R0","in":"p0","out":"p1","cos_group":"rdma"}`, `{"a":"R0:p0","b":"R1:p0"}`
	file, err := os.ReadFile("../../../docs/schema/validate.json")
	require.NoError(t, err)
	schema := reporttest.Closed(t, file, "/$defs/facts")
	for _, tt := range []struct {
		p    validate.Proof
		want string // of why
	}{
		{validate.Proof{Certificate: proof.ByForest, Reason: proof.Certified{Links: 0}}, `{"code":"certificate","lossless_links":0}`},
		{validate.Proof{Certificate: proof.ByUpDown, Reason: proof.Certified{Top: 3}}, `{"code":"certificate","top_tier":3}`},
		{validate.Proof{Certificate: proof.ByASPlan, Reason: proof.Certified{Top: 2}}, `{"code":"certificate","top_tier":2}`},
		{
			validate.Proof{Certificate: proof.ByBounce, Reason: proof.Certified{Top: 2, Chain: []*ir.CosGroup{c.Group, detour}}},
			`{"code":"certificate","top_tier":2,"cos_groups":["rdma","detour"]}`,
		},
		{validate.Proof{Certificate: proof.BySpanningTree, Reason: proof.Certified{}}, `{"code":"certificate"}`},
		{validate.Proof{Certificate: proof.ByExact, Reason: proof.Searched{}}, `{"code":"search"}`},
		{
			validate.Proof{Certificate: proof.ByExact, Reason: proof.Searched{Down: 2, Followed: 0, Alike: 0}},
			`{"code":"search","failures":2,"sets_followed":0,"sets_covered":0}`,
		},
		{
			validate.Proof{Certificate: proof.ByExact, Reason: proof.Searched{Down: 2, Followed: 7, Alike: -1}},
			`{"code":"search","failures":2,"sets_followed":7}`,
		},
		{validate.Proof{Reason: proof.InCircle{}}, `{"code":"circle"}`},
		{
			validate.Proof{Reason: proof.MixedStates{Mixture: ir.MixedTies, Circle: circle, Down: f.Links[:1]}},
			`{"code":"mixed-states","cause":"ties","links":[` + link + `],"circle":[` + hop + `]}`,
		},
		{validate.Proof{Reason: proof.NotFollowed{Err: &ir.RoutingError{Code: ir.NoRouting}}}, `{"code":"not-followed","cause":"no-routing"}`},
		{
			validate.Proof{Reason: proof.NotFollowed{Err: &ir.RoutingError{
				Code: ir.LevelLink, Devices: f.Devices[:2], Out: f.Links[0].A(), In: f.Links[0].B(),
			}}},
			`{"code":"not-followed","cause":"level-link","devices":["R0","R1"],"links":[` + link + `]}`,
		},
		{
			validate.Proof{Reason: proof.NotFollowed{Err: &ir.RoutingError{Code: ir.LossyGroup, Group: detour}}},
			`{"code":"not-followed","cause":"lossy-group","cos_groups":["detour"]}`,
		},
		{validate.Proof{Reason: proof.OutOfBudget{}}, `{"code":"budget","failures":0}`},
		{validate.Proof{Reason: proof.OutOfBudget{Down: 1, Found: -1}}, `{"code":"budget","failures":1,"sets_judged":0}`},
		{
			validate.Proof{Reason: proof.OutOfBudget{
				Down: 2, Found: 9, Judged: 4, Circle: circle, Conflict: [][]*ir.Link{f.Links[:1], f.Links[:1]},
			}},
			`{"code":"budget","failures":2,"sets_found":9,"sets_judged":4,"circle":[` + hop + `],"states":[[` + link + `],[` + link + `]]}`,
		},
	} {
		for _, a := range proof.AssumptionCodes {
			tt.p.Assumptions = append(tt.p.Assumptions, proof.Assumption{Code: a})
		}
		tt.p.Assumptions[0].Group = detour
		hand := slices.Index(proof.AssumptionCodes, proof.SetByHand)
		tt.p.Assumptions[hand].Hand = []*ir.Device{{Name: "leaf1"}}
		last := hand - 1
		tt.p.Assumptions[last].System, tt.p.Assumptions[last].Chips = "plan9", []string{"Spectrum"}
		for _, n := range proof.NoteCodes {
			tt.p.Notes = append(tt.p.Notes, proof.Note{Code: n, Links: f.Links[:1], Down: 5})
		}
		got := newJSONFacts(validate.GroupProof{Group: c.Group, Proof: &tt.p}, claims.Judge(f, []*proof.Proof{&tt.p}, nil, nil))
		why, err := json.Marshal(got.Why)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(why))
		require.Len(t, got.Assumptions, len(proof.AssumptionCodes))
		assert.Equal(t, claimed.Assumption{
			Code: "hosts-drain", CosGroups: []string{"detour"}, State: claims.Unchecked,
		}, got.Assumptions[0])
		assert.Equal(t, claimed.Assumption{
			Code: "chip-alone", System: "plan9", Chips: []string{"Spectrum"}, State: claims.Unchecked,
		}, got.Assumptions[last])
		assert.Equal(t, claimed.Assumption{
			Code: "set-by-hand", Devices: []string{"leaf1"}, State: claims.Stated,
		}, got.Assumptions[hand])
		require.Len(t, got.Notes, len(proof.NoteCodes))
		note, err := json.Marshal(got.Notes[0])
		require.NoError(t, err)
		assert.Equal(t, `{"code":"fewest-failures","failures":5,"links":[`+link+`]}`, string(note))

		data, err := json.Marshal(got)
		require.NoError(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(doc))
	}
}

// The schema and docs/formats.md list the codes of facts in the same order.
func TestFactsAreDocumented(t *testing.T) {
	type enum struct {
		Enum []string `json:"enum"`
	}
	type fact struct {
		Properties struct{ Code, Cause enum } `json:"properties"`
	}
	var schema struct {
		Defs struct {
			Facts struct {
				Properties struct {
					Why         fact
					Assumptions struct{ Items fact }
					Notes       struct{ Items fact }
				}
			}
		} `json:"$defs"`
	}
	data, err := os.ReadFile("../../../docs/schema/validate.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &schema))
	manual, err := os.ReadFile("../../../docs/formats.md")
	require.NoError(t, err)
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllSubmatch(manual, -1) {
		rows = append(rows, string(m[1]))
	}

	var reasons, causes, assumptions, notes []string
	for _, r := range proof.Reasons {
		reasons = append(reasons, r.Code())
	}
	for _, c := range ir.RoutingCodes {
		causes = append(causes, string(c))
	}
	for _, c := range proof.AssumptionCodes {
		assumptions = append(assumptions, string(c))
	}
	for _, c := range proof.NoteCodes {
		notes = append(notes, string(c))
	}
	facts := schema.Defs.Facts.Properties
	assert.Equal(t, reasons, facts.Why.Properties.Code.Enum)
	assert.Equal(t, append([]string{string(ir.MixedTies)}, causes...), facts.Why.Properties.Cause.Enum)
	assert.Equal(t, assumptions, facts.Assumptions.Items.Properties.Code.Enum)
	assert.Equal(t, notes, facts.Notes.Items.Properties.Code.Enum)
	formats := len(Formats)
	require.Greater(t, len(rows), formats)
	assert.Equal(t, slices.Concat(reasons, causes, assumptions, notes), rows[formats:])
}
