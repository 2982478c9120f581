package pages

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/targets/deploy/safefile"
)

// Options decide where a server listens, and who may read.
type Options struct {
	Address  string // host and port
	ReaderCA string // file with the certificates that sign those of persons
	Roles    string // file with the role of each certificate
	Cert     string // file with the certificate of the server
	CertKey  string // and its key
	Log      *slog.Logger
}

// Bounds of requests and of the file of roles.
const (
	headTime  = 5 * time.Second
	writeTime = 30 * time.Second
	idleTime  = time.Minute
	maxHeader = 16 << 10
	maxRoles  = 1 << 20
)

// Server is a server that listens.
type Server struct {
	o   Options
	ln  net.Listener
	tls bool
}

// secure reports whether the options ask for mutual TLS.
func (o *Options) secure() bool {
	return o.ReaderCA != "" || o.Roles != "" || o.Cert != "" || o.CertKey != ""
}

// Check refuses options of which a part is missing.
func (o *Options) Check() error {
	if !o.secure() && !loopbackName(o.Address) {
		return fmt.Errorf("%s is not a loopback address: pages there need mutual TLS (--reader-ca, --roles, --cert and "+
			"--cert-key)", o.Address)
	}
	for _, need := range [][2]string{
		{"--reader-ca", o.ReaderCA}, {"--roles", o.Roles}, {"--cert", o.Cert}, {"--cert-key", o.CertKey},
	} {
		if o.secure() && need[1] == "" {
			return fmt.Errorf("pages with mutual TLS need --reader-ca, --roles, --cert and --cert-key: %s is missing", need[0])
		}
	}
	return nil
}

// Listen listens at an address. On loopback it needs no TLS. At any other address, persons show a certificate, and so does the server.
func Listen(ctx context.Context, o Options) (*Server, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	secure := o.secure()
	s := &Server{o: o, tls: secure}
	var config *tls.Config
	if secure {
		var err error
		if config, err = o.config(); err != nil {
			return nil, err
		}
		if _, err := s.roleOf(""); err != nil && !errors.Is(err, errNoRole) {
			return nil, err
		}
	}
	var of net.ListenConfig
	ln, err := of.Listen(ctx, "tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("the pages: %w. --pages names another address", err)
	}
	if at, ok := ln.Addr().(*net.TCPAddr); !secure && (!ok || !at.IP.IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("%s is not a loopback address: pages there need mutual TLS (--reader-ca, --roles, --cert and "+
			"--cert-key)", o.Address), ln.Close())
	}
	if s.ln = ln; secure {
		s.ln = tls.NewListener(ln, config)
	}
	return s, nil
}

// config returns the configuration of TLS. Its curves are those of FIPS 140. Each connection verifies the certificate of the person.
func (o *Options) config() (*tls.Config, error) {
	info, err := os.Stat(o.CertKey)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the mode %04o of %s lets other users read the key: chmod 600", info.Mode().Perm(), o.CertKey)
	}
	pair, err := tls.LoadX509KeyPair(o.Cert, o.CertKey)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.ReaderCA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s contains no certificate", o.ReaderCA)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13, CurvePreferences: []tls.CurveID{tls.CurveP256, tls.CurveP384},
		ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, SessionTicketsDisabled: true, NextProtos: []string{"http/1.1"},
	}, nil
}

// Address returns the address at which the server listens.
func (s *Server) Address() string { return s.ln.Addr().String() }

// Serve serves pages until ctx ends.
func (s *Server) Serve(ctx context.Context, pages http.Handler) error {
	h := &http.Server{
		Handler: s.guard(pages), ReadHeaderTimeout: headTime, ReadTimeout: headTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelInfo),
	}
	stop := context.AfterFunc(ctx, func() { h.Close() }) //nolint:errcheck // a page that is cut off is loaded again
	defer stop()
	if err := h.Serve(s.ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guard gives each request the role of its person, or refuses it. On loopback each person of the machine reads as an operator. There it
// refuses other names of the machine: a page of a stranger, whose name leads to the loopback address, would read them.
func (s *Server) guard(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.tls {
			if !loopbackName(r.Host) {
				http.Error(w, "the pages of this machine have the names localhost, 127.0.0.1 and [::1]", http.StatusForbidden)
				return
			}
			pages.ServeHTTP(w, withRole(r, Operator))
			return
		}
		name := ""
		if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		role, err := s.roleOf(name)
		switch {
		case errors.Is(err, errNoRole):
			s.o.Log.Warn("a certificate has no role", "name", name)
			http.Error(w, "the certificate has no role (--roles)", http.StatusForbidden)
		case err != nil:
			s.o.Log.Error("the roles cannot be read", "error", err)
			http.Error(w, "the roles cannot be read", http.StatusServiceUnavailable)
		default:
			pages.ServeHTTP(w, withRole(r, role))
		}
	})
}

// loopbackName reports whether a request names the machine by a name of loopback.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// errNoRole is the error for a certificate without a role.
var errNoRole = errors.New("the certificate has no role")

// roleOf returns the role of a certificate. The file is read for each request: who has lost a role loses the pages at once.
func (s *Server) roleOf(name string) (Role, error) {
	f, err := safefile.Open(s.o.Roles)
	if err != nil {
		return "", err
	}
	defer f.Close()
	roles, err := readRoles(io.LimitReader(f, maxRoles+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.o.Roles, err)
	}
	role, is := roles[name]
	if !is {
		return "", errNoRole
	}
	return role, nil
}

// readRoles reads lines of a role and the name of a certificate, such as "reader grafana". A line that begins with # is a comment.
func readRoles(from io.Reader) (map[string]Role, error) {
	out, size := map[string]Role{}, 0
	in := bufio.NewScanner(from)
	for n := 1; in.Scan(); n++ {
		if size += len(in.Bytes()) + 1; size > maxRoles {
			return nil, fmt.Errorf("it is larger than %d MiB", maxRoles>>20)
		}
		line := strings.TrimSpace(in.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		words := strings.Fields(line)
		switch {
		case len(words) != 2 || Role(words[0]) != Reader && Role(words[0]) != Operator:
			return nil, fmt.Errorf("line %d is not \"%s NAME\" or \"%s NAME\"", n, Reader, Operator)
		case !statement.Token(words[1]):
			return nil, fmt.Errorf("line %d: a name has letters, digits, \"-\" and \"_\"", n)
		case out[words[1]] != "":
			return nil, fmt.Errorf("line %d: %s has a role already", n, words[1])
		}
		out[words[1]] = Role(words[0])
	}
	return out, in.Err()
}
