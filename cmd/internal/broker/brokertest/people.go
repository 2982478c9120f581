package brokertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/sshsig/sshsigtest"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// People has the keys of persons and sites, and a hub in memory. Alice plans and applies, bob approves, carol does all, and mallory has no
// right.
type People struct {
	T       testing.TB
	Hub     *Hub
	Keys    map[string]*sshsigtest.Token
	Signers *sshsig.Signers
	Clock   func() time.Time // of all

	mu    sync.Mutex
	nonce int
}

// NewPeople returns a team with the sites dc1 and dc2.
func NewPeople(t testing.TB, now func() time.Time) *People {
	t.Helper()
	w := &People{T: t, Hub: New(now), Keys: map[string]*sshsigtest.Token{}, Clock: now}
	var lines strings.Builder
	for i, one := range [][2]string{
		{"alice", "rocec-plan,rocec-apply"},
		{"bob", "rocec-approve"},
		{"carol", "rocec-plan,rocec-approve,rocec-apply"},
		{"site:dc1", "rocec-site"},
		{"site:dc2", "rocec-site"},
		{"mallory", ""},
	} {
		w.Keys[one[0]] = sshsigtest.NewToken(bytes.Repeat([]byte{byte(i + 1)}, 32))
		if one[1] != "" {
			fmt.Fprintf(&lines, "%s namespaces=\"%s\" %s\n", one[0], one[1], w.Keys[one[0]].Line())
		}
	}
	var err error
	w.Signers, err = sshsig.ParseSigners([]byte(lines.String()))
	require.NoError(t, err)
	return w
}

// SignAs returns the signing of a person.
func (w *People) SignAs(who string) func(context.Context, string, []byte) ([]byte, error) {
	return func(_ context.Context, namespace string, message []byte) ([]byte, error) {
		return w.Keys[who].Sign(namespace, message, 1), nil
	}
}

// Says publishes a statement of the fabric prod, and returns its digest. The statement gets the time and a nonce, unless it has them.
func (w *People) Says(who string, kind broker.Kind, st statement.Statement, body []byte) string {
	w.T.Helper()
	w.mu.Lock()
	w.nonce++
	nonce := fmt.Sprintf("%020d", w.nonce)
	w.mu.Unlock()
	st.Fabric = "prod"
	if st.Nonce == "" {
		st.Nonce = nonce
	}
	if st.At.IsZero() {
		st.At = w.Clock().UTC().Truncate(time.Second)
	}
	m, err := statement.Make(&st, body, func(namespace string, message []byte) ([]byte, error) {
		return w.Keys[who].Sign(namespace, message, 1), nil
	})
	require.NoError(w.T, err)
	data, err := json.Marshal(m)
	require.NoError(w.T, err)
	to := broker.Subject{Kind: kind, Fabric: st.Fabric}
	if kind != broker.Submit {
		to.Run = st.Run
	}
	if st.Verb.OfSite() {
		to.Site = st.Site
	}
	_, err = w.Hub.Publish(context.Background(), to, st.Nonce, data)
	require.NoError(w.T, err)
	return st.Digest
}
