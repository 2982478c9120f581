// Package origin makes clients of HTTP that talk to one origin, because they send a token: they do not follow a [Redirect] to another one.
package origin

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// MaxRedirects is the largest number of redirects that a client follows for one request.
const MaxRedirects = 5

// Redirect is the error of a redirect that a client does not follow.
type Redirect struct {
	To string // another origin, https://other.example; empty: there were too many redirects
}

// Error returns the error for logs.
func (r *Redirect) Error() string {
	if r.To == "" {
		return fmt.Sprintf("more than %d redirects", MaxRedirects)
	}
	return "redirect to " + r.To
}

// NewClient returns a client for the origin of a URL, with a time limit for each request. Its errors for redirects are a [*Redirect].
func NewClient(base *url.URL, timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: timeout / 2, MaxResponseHeaderBytes: 1 << 20, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case req.URL.Scheme != base.Scheme || req.URL.Host != base.Host:
				return &Redirect{req.URL.Scheme + "://" + req.URL.Host}
			case len(via) >= MaxRedirects:
				return &Redirect{}
			}
			return nil
		},
	}
}

// Loopback reports whether a host is this machine.
func Loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// IsToken reports whether a text can be a token in a header: one word of visible ASCII, of at most so many bytes.
func IsToken(text string, most int) bool {
	return len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
