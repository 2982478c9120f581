package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/metrics/metricstest"
)

// The metrics of a team are read by a strict reader of OpenMetrics, have each metric with the labels of the table, and have no sample for
// what is not known.
func TestTeam(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	team := &Team{Fabrics: []TeamFabric{
		{Name: "lab", Current: true, Runs: map[string]int{"complete": 0}, Sites: []TeamSite{{Name: "dc9"}}},
		{
			Name: "pr\"od", Runs: map[string]int{"waits": 2, "complete": 1}, Oldest: at,
			Sites: []TeamSite{
				{Name: "dc1", Known: true, Alive: true, Look: at, Tried: true, Devices: map[string]int{"good": 3}},
				{
					Name: "dc2", Known: true, Tried: true, Failed: true, Look: at, Devices: map[string]int{"good": 1, "drift": 2},
					Findings: []Found{{"none", "error", 2}},
				},
			},
		},
	}}
	var b strings.Builder
	require.NoError(t, team.Write(&b))
	samples, err := metricstest.Parse(b.String())
	require.NoError(t, err)
	had, lab := map[string]bool{}, []string{}
	for _, s := range samples {
		had[s.Name] = true
		if s.Label(LabelFabric) == "lab" {
			lab = append(lab, s.Name+" "+s.Text)
		}
	}
	require.Len(t, had, len(teamTable))
	require.Equal(t, []string{"rocec_team_current 1", "rocec_team_runs 0"}, lab)
	require.Contains(t, b.String(), `rocec_team_runs{fabric="pr\"od",state="waits"} 2`+"\n")
	require.Contains(t, b.String(), `rocec_team_findings{fabric="pr\"od",site="dc2",code="none",severity="error"} 2`+"\n")
	require.Error(t, team.Write(full{}))
}

// ofTeam returns the metrics of a team.
func ofTeam() (out []*Metric) {
	for i := range teamTable {
		out = append(out, &teamTable[i].Metric)
	}
	return out
}
