package auditlog

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// URL names a central record: the form of its events, and the socket that takes them. The zero URL names none.
//
//	syslog+udp://HOST:PORT    syslog (RFC 5424), one message in each datagram (RFC 5426)
//	syslog+tcp://HOST:PORT    syslog, each message after its length (RFC 6587, octet counting)
//	syslog+unix:///PATH       syslog, on a datagram socket such as /dev/log
//	json+tcp://HOST:PORT      a JSON object on each line
//	json+unix:///PATH         a JSON object on each line, on a stream socket
type URL struct {
	text    string
	form    form
	network string // as package net names it
	address string
}

// kindOf returns the form and the network of a scheme.
func kindOf(scheme string) (f form, network string) {
	switch scheme {
	case "syslog+udp":
		return syslogAlone, "udp"
	case "syslog+tcp":
		return syslogCounted, "tcp"
	case "syslog+unix":
		return syslogAlone, "unixgram"
	case "json+tcp":
		return jsonLine, "tcp"
	case "json+unix":
		return jsonLine, "unix"
	}
	return nil, ""
}

// Parse reads the text of a URL.
func Parse(text string) (URL, error) {
	scheme, address, ok := strings.Cut(text, "://")
	u := URL{text: text, address: address}
	u.form, u.network = kindOf(scheme)
	switch {
	case !ok || u.form == nil:
		return URL{}, fmt.Errorf("%q is no URL of a central record. Write one such as syslog+tcp://HOST:601, syslog+udp://HOST:514, "+
			"syslog+unix:///dev/log, json+tcp://HOST:PORT or json+unix:///PATH", diag.Cut(text))
	case strings.HasPrefix(u.network, "unix"):
		if len(address) > mostPath || !filepath.IsAbs(address) || strings.ContainsFunc(address, spaceOrControl) {
			return URL{}, fmt.Errorf("%q has no path of a socket. The path begins with /, has no space, and has at most %d bytes, "+
				"as in %s:///dev/log", diag.Cut(text), mostPath, scheme)
		}
	default:
		host, port, err := net.SplitHostPort(address)
		number, wrong := strconv.ParseUint(port, 10, 16)
		hostForm := regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?\.?$`)
		if _, err := netip.ParseAddr(host); err != nil && !hostForm.MatchString(host) {
			wrong = err
		}
		if err != nil || wrong != nil || number == 0 {
			return URL{}, fmt.Errorf("%q has no host with a port. Write one such as %s://logs.example.net:601 or %[2]s://[2001:db8::1]:601",
				diag.Cut(text), scheme)
		}
	}
	return u, nil
}

func spaceOrControl(r rune) bool { return r <= ' ' || r == 0x7f }

// mostPath is the longest path of a socket: Linux takes 107 bytes, and macOS 103.
const mostPath = 103

// String returns the text of the URL.
func (u *URL) String() string { return u.text }

// Set reads the value of a flag.
func (u *URL) Set(text string) (err error) {
	*u, err = Parse(text)
	return err
}

// Type returns the word for the value of a flag.
func (u *URL) Type() string { return "url" }

// dial connects to the socket. A datagram socket of another machine answers to nothing, so that connecting to it proves only its name.
func (u *URL) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, u.network, u.address)
}

// stream reports whether the socket tells when the other end closes it.
func (u *URL) stream() bool { return u.network == "tcp" || u.network == "unix" }
