package pages

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
)

// ring makes the certificates of a server and of persons with names. It returns the options of a server that uses them.
func ring(t *testing.T, names ...string) (o Options, pairs map[string]tls.Certificate) {
	t.Helper()
	dir := t.TempDir()
	r, err := keys.Make(filepath.Join(dir, "keys"), time.Now)
	require.NoError(t, err)
	require.NoError(t, r.Server([]string{"127.0.0.1"}, time.Hour))
	pairs = map[string]tls.Certificate{}
	for _, name := range names {
		cert, key, err := r.Page(name, time.Hour)
		require.NoError(t, err)
		pairs[name], err = tls.LoadX509KeyPair(cert, key)
		require.NoError(t, err)
	}
	o = Options{
		Address: "127.0.0.1:0", ReaderCA: r.CA(), Roles: filepath.Join(dir, "roles"), Cert: filepath.Join(dir, "keys", "server.crt"),
		CertKey: filepath.Join(dir, "keys", "server.key"), Log: slog.New(slog.DiscardHandler),
	}
	require.NoError(t, os.WriteFile(o.Roles, []byte("# who reads\nreader grafana\n\noperator alice\n"), 0o600))
	return o, pairs
}

// serve serves a handler until the test ends. It returns the address.
func serve(t *testing.T, o Options, h http.Handler) string {
	t.Helper()
	s, err := Listen(t.Context(), o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, h) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return s.Address()
}

// read reads a page with a certificate, or with none.
func read(t *testing.T, o Options, address string, pair *tls.Certificate) (int, string, *tls.ConnectionState, error) {
	t.Helper()
	ca, err := os.ReadFile(o.ReaderCA)
	require.NoError(t, err)
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	require.True(t, c.RootCAs.AppendCertsFromPEM(ca))
	if pair != nil {
		c.Certificates = []tls.Certificate{*pair}
	}
	tr := &http.Transport{TLSClientConfig: c}
	defer tr.CloseIdleConnections()
	r, err := (&http.Client{Transport: tr}).Get("https://" + address + "/")
	if err != nil {
		return 0, "", nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(body), r.TLS, nil
}

// TestMutualTLS: the name of a certificate decides what a person reads. Without a certificate of the authority there is no connection, and
// without a role no page. A role that is taken away is gone at once.
func TestMutualTLS(t *testing.T) {
	o, pairs := ring(t, "alice", "grafana", "mallory")
	address := serve(t, o, Handler(day(t)))
	status, body, state, err := read(t, o, address, new(pairs["alice"]))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "by alice")
	require.Equal(t, tls.CurveP256, state.CurveID)
	require.Equal(t, uint16(tls.VersionTLS13), state.Version)

	status, body, _, err = read(t, o, address, new(pairs["grafana"]))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, body, "alice")

	status, body, _, err = read(t, o, address, new(pairs["mallory"]))
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status)
	require.NotContains(t, body, "Team")

	_, _, _, err = read(t, o, address, nil)
	require.ErrorContains(t, err, "certificate required")
	_, strangers := ring(t, "alice")
	_, _, _, err = read(t, o, address, new(strangers["alice"]))
	require.Error(t, err)
	r, err := http.Get("http://" + address + "/")
	if err == nil {
		require.NoError(t, r.Body.Close())
		require.Equal(t, http.StatusBadRequest, r.StatusCode)
	}

	require.NoError(t, os.WriteFile(o.Roles, []byte("reader grafana\n"), 0o600))
	status, _, _, err = read(t, o, address, new(pairs["alice"]))
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status)
	require.NoError(t, os.WriteFile(o.Roles, []byte("owner alice\n"), 0o600))
	status, _, _, err = read(t, o, address, new(pairs["alice"]))
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, status)
}

// fipsVariable makes the test a child that runs in FIPS mode.
const fipsVariable = "ROCEC_PAGES_FIPS"

// TestFIPS: mutual TLS works where Go refuses all that FIPS 140 does not have.
func TestFIPS(t *testing.T) {
	if os.Getenv(fipsVariable) != "" {
		TestMutualTLS(t)
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestFIPS$", "-test.v")
	cmd.Env = append(os.Environ(), fipsVariable+"=1", "GODEBUG=fips140=only")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestFIPS")
}

// TestListen lists options that a server refuses.
func TestListen(t *testing.T) {
	o, _ := ring(t, "alice")
	open := filepath.Join(t.TempDir(), "open.key")
	key, err := os.ReadFile(o.CertKey)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(open, key, 0o600))
	require.NoError(t, os.Chmod(open, 0o644))
	wide := filepath.Join(t.TempDir(), "roles")
	require.NoError(t, os.WriteFile(wide, []byte("operator mallory\n"), 0o600))
	require.NoError(t, os.Chmod(wide, 0o666))
	with := func(change func(*Options)) Options {
		of := o
		change(&of)
		return of
	}
	for says, of := range map[string]Options{
		"is not a loopback address":       {Address: "0.0.0.0:0"},
		" is not a loopback address":      {Address: ":0"},
		"[::]:0 is not a loopback":        {Address: "[::]:0"},
		"--reader-ca is missing":          with(func(o *Options) { o.ReaderCA = "" }),
		"--roles is missing":              with(func(o *Options) { o.Roles = "" }),
		"--cert is missing":               with(func(o *Options) { o.Cert = "" }),
		"--cert-key is missing":           with(func(o *Options) { o.CertKey = "" }),
		"lets other users read the key":   with(func(o *Options) { o.CertKey = open }),
		"contains no certificate":         with(func(o *Options) { o.ReaderCA = o.Roles }),
		"no such file":                    with(func(o *Options) { o.Roles += "x" }),
		"every user write it":             with(func(o *Options) { o.Roles = wide }),
		"failed to find any PEM data":     with(func(o *Options) { o.Cert = o.Roles }),
		"missing port in address":         {Address: "127.0.0.1"},
		"is not \"reader NAME\" or \"ope": with(func(o *Options) { o.Roles = o.ReaderCA }),
	} {
		s, err := Listen(t.Context(), of)
		assert.ErrorContains(t, err, says)
		assert.Nil(t, s, says)
	}
}

// TestRoles lists files of roles that are refused.
func TestRoles(t *testing.T) {
	good, err := readRoles(strings.NewReader("reader a\noperator b-1\n# operator c\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]Role{"a": Reader, "b-1": Operator}, good)
	for says, text := range map[string]string{
		"line 1 is not":         "reader\n",
		"line 2 is not":         "reader a\nroot b\n",
		"line 1: a name has":    "reader a.*\n",
		"a has a role already":  "reader a\noperator a\n",
		"token too long":        "reader " + strings.Repeat("a", 1<<17),
		"it is larger than 1 M": strings.Repeat("# a comment\n", maxRoles/12+1),
	} {
		_, err := readRoles(strings.NewReader(text))
		assert.ErrorContains(t, err, says)
	}
}

// TestLoopback: a person of the machine reads as an operator, and a page of a stranger in the browser of that person reads nothing.
func TestLoopback(t *testing.T) {
	o := Options{Address: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}
	address := serve(t, o, Handler(day(t)))
	for host, want := range map[string]int{
		address: http.StatusOK, "localhost": http.StatusOK, "localhost:8080": http.StatusOK, "[::1]:80": http.StatusOK,
		"127.0.0.1":    http.StatusOK,
		"evil.example": http.StatusForbidden, "localhost.evil.example": http.StatusForbidden, "192.0.2.1": http.StatusForbidden,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", nil)
		require.NoError(t, err)
		r.Host = host
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.NoError(t, got.Body.Close())
		assert.Equal(t, want, got.StatusCode, host)
		assert.Equal(t, want == http.StatusOK, strings.Contains(string(body), "by alice"), host)
	}
}
