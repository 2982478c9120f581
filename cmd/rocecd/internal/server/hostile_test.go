package server

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// raw is a client that speaks the protocol by hand: a client library refuses what it sends.
type raw struct {
	*tls.Conn
	in *bufio.Reader
}

// line reads a line of the server.
func (c *raw) line(t *testing.T) string {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	line, err := c.in.ReadString('\n')
	if err != nil {
		return "closed"
	}
	return strings.TrimSpace(line)
}

// raw connects a user with a role.
func (h *hub) raw(t *testing.T, name string, role keys.Role) *raw {
	t.Helper()
	creds, err := h.ring.Add(name, role, time.Hour)
	require.NoError(t, err)
	user, err := jwt.ParseDecoratedJWT(creds)
	require.NoError(t, err)
	pair, err := jwt.ParseDecoratedUserNKey(creds)
	require.NoError(t, err)
	return h.speak(t, user, pair)
}

func (h *hub) speak(t *testing.T, user string, pair nkeys.KeyPair) *raw {
	t.Helper()
	at, err := url.Parse(h.URL())
	require.NoError(t, err)
	pool := x509.NewCertPool()
	text, err := os.ReadFile(h.ring.CA())
	require.NoError(t, err)
	require.True(t, pool.AppendCertsFromPEM(text))
	plain, err := net.Dial("tcp", "127.0.0.1:"+at.Port())
	require.NoError(t, err)
	hello := bufio.NewReader(plain)
	info, err := hello.ReadString('\n')
	require.NoError(t, err)
	var of struct {
		Nonce string `json:"nonce"`
	}
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(info, "INFO ")), &of))
	c := &raw{Conn: tls.Client(plain, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"})}
	t.Cleanup(func() { c.Close() })
	c.in = bufio.NewReader(c.Conn)
	signature, err := pair.Sign([]byte(of.Nonce))
	require.NoError(t, err)
	connect, err := json.Marshal(map[string]any{"jwt": user, "sig": base64.RawURLEncoding.EncodeToString(signature), "verbose": false})
	require.NoError(t, err)
	_, err = fmt.Fprintf(c, "CONNECT %s\r\nPING\r\n", connect)
	require.NoError(t, err)
	return c
}

// TestHostileClient: a user with good credentials sends a message of 100 MB, and subjects with wildcards or of others. The server refuses
// each, and readers use none.
func TestHostileClient(t *testing.T) {
	h := start(t)
	first := h.raw(t, "dc1", keys.Site)
	require.Contains(t, first.line(t), "PONG")
	_, err := fmt.Fprintf(first, "PUB rocec.wave.prod.r1.dc1 %d\r\n", 100<<20)
	require.NoError(t, err)
	_, _ = first.Write(make([]byte, 1<<20)) // the server may be gone
	require.Contains(t, first.line(t), "Maximum Payload Violation")
	require.Equal(t, "closed", first.line(t))

	for _, subject := range []string{
		"rocec.wave.*.r1.dc1", "rocec.wave.>", "rocec.wave.prod.r1.*", "rocec.>", ">", "*", "rocec..dc1", "$JS.API.STREAM.PURGE.ROCEC",
		"$JS.API.STREAM.DELETE.ROCEC", "$JS.API.STREAM.MSG.DELETE.ROCEC", "$SYS.REQ.SERVER.PING", "rocec.wave.prod.r1.dc2",
	} {
		c := h.raw(t, "dc1", keys.Site)
		require.Contains(t, c.line(t), "PONG")
		_, err := fmt.Fprintf(c, "PUB %s 2\r\n{}\r\nPING\r\n", subject)
		require.NoError(t, err)
		assert.Contains(t, c.line(t), "-ERR", subject)
	}
	c := h.raw(t, "bob", keys.Reader)
	require.Contains(t, c.line(t), "PONG")
	for _, subject := range []string{">", "rocec.>", "$JS.API.>", "$SYS.>"} {
		_, err := fmt.Fprintf(c, "SUB %s 1\r\nPING\r\n", subject)
		require.NoError(t, err)
		assert.Contains(t, c.line(t), "-ERR", subject)
		assert.Contains(t, c.line(t), "PONG")
	}
	other, err := nkeys.CreateUser()
	require.NoError(t, err)
	forged := jwt.NewUserClaims(public(t, other))
	account, err := nkeys.CreateAccount()
	require.NoError(t, err)
	text, err := forged.Encode(account)
	require.NoError(t, err)
	require.Contains(t, h.speak(t, text, other).line(t), "Authorization Violation", "an account of another ring")

	var all []broker.Subject
	for _, kind := range broker.Kinds {
		all = append(all, broker.Subject{Kind: kind})
	}
	require.NoError(t, h.as(t, "alice", keys.Operator).Read(t.Context(), 1, all, func(m *broker.Message) error {
		return fmt.Errorf("a reader uses the message %s", m.Filter())
	}), "the server complains about a wildcard and may store it, and readers leave it out")
}

func public(t *testing.T, pair nkeys.KeyPair) string {
	t.Helper()
	key, err := pair.PublicKey()
	require.NoError(t, err)
	return key
}

// TestDamagedStore: a server whose store is damaged serves what is left, and loses no message without a sign: the numbers show it.
func TestDamagedStore(t *testing.T) {
	h := start(t)
	alice := h.as(t, "alice", keys.Operator)
	for i := range 10 {
		_, err := alice.Publish(t.Context(), broker.Subject{Kind: broker.Submit, Fabric: "f"}, fmt.Sprint(i), []byte("a message"))
		require.NoError(t, err)
	}
	alice.Close()
	h.Stop()
	blocks := 0
	require.NoError(t, filepath.Walk(filepath.Join(h.dir, "store"), func(file string, info os.FileInfo, err error) error {
		if err != nil || !strings.HasSuffix(file, ".blk") {
			return err
		}
		blocks++
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		copy(text[len(text)/2:], strings.Repeat("\xff", 40))
		return os.WriteFile(file, text, info.Mode())
	}))
	require.Positive(t, blocks)
	h.up(t)
	reader := h.as(t, "bob", keys.Reader)
	last, err := reader.Last(t.Context())
	require.NoError(t, err)
	count := 0
	require.NoError(t, reader.Read(t.Context(), 1, []broker.Subject{{Kind: broker.Submit}}, func(m *broker.Message) error {
		count++
		require.Equal(t, "a message", string(m.Data), "%d", m.Number)
		return nil
	}))
	t.Logf("%d of 10 messages are left, and the store ends with message %d", count, last)
	require.Less(t, count, 10)
}
