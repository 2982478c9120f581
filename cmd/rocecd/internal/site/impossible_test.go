package site

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
	"github.com/rocec/rocec/targets/deploy"
)

// TestImpossibleRun: a site starts with a run in its book that an earlier rocecd took, and whose sites do not split its waves. It has no
// such run.
func TestImpossibleRun(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	o := place{Site: "dc1", State: t.TempDir()}.options(&log, nil)
	now := time.Now()
	e := teamqueue.Envelope{Plan: deploy.NewSaved(nil, deploy.Meta{Tool: "test", Terms: &deploy.Terms{
		Name: "prod", Expires: now.Add(time.Hour), Nonce: "n", Waves: []string{"leaf1", "leaf2"},
		Shares: []deploy.TermShare{{Site: "dc1", Waves: 22}, {Site: "dc2", Waves: -20}},
	}}).Bytes()}
	body, err := json.Marshal(e)
	require.NoError(t, err)
	tokens, _ := people()
	w := &team{t: t, tokens: tokens}
	data := w.signed("alice", &statement.Statement{Verb: statement.Submit, Run: run1}, body)
	b, err := openBook(filepath.Join(o.State, "team"), now)
	require.NoError(t, err)
	m := broker.Message{Subject: broker.Subject{Kind: broker.Submit, Fabric: "prod"}, Number: 1, At: now, Data: data}
	require.NoError(t, b.keep([]teamqueue.Accepted{{Message: &m, By: "alice"}}))
	b.close()
	worker, err := New(o)
	require.NoError(t, err)
	defer worker.book.close()
	require.Nil(t, worker.next("prod"))
	require.Contains(t, log.String(), "the share of the site dc1 has 22 waves, and the plan has 2")
}
