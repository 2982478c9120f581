package teamqueue

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// TestOwnRun: a person with all roles who submits a run approves none of its waves, and another person does.
func TestOwnRun(t *testing.T) {
	w := newTeam(t)
	q := New(w.signers)
	body, err := json.Marshal(Envelope{Plan: w.plan("own")})
	require.NoError(t, err)
	require.NoError(t, q.Take(w.message(broker.Submit, "carol", statement.Statement{Verb: statement.Submit, Run: "r1"}, body)))
	approve := func(who string) *broker.Message {
		st := statement.Statement{Verb: statement.Approve, Run: "r1", Wave: 3, Digest: q.Run("r1").Digest}
		return w.message(broker.Say, who, st, nil)
	}
	require.ErrorContains(t, q.Take(approve("carol")), "carol submitted the run, and so approves none of its waves")
	require.Empty(t, q.Run("r1").Approved[3])
	require.NoError(t, q.Take(approve("bob")))
	require.Len(t, q.Run("r1").Approved[3], 1)
}
