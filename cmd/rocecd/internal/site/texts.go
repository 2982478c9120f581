package site

import (
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"github.com/rocec/rocec/targets/deploy"
)

// plain returns an error as the hub may have it: one line, without the addresses of devices.
func plain(err error) string { return short(deploy.OneLine(withoutAddresses(err.Error()))) }

// mostWhy bounds the reason in a statement.
const mostWhy = 1500

// short returns the beginning of a reason that is too long for a statement.
func short(why string) string {
	if len(why) <= mostWhy {
		return why
	}
	return strings.TrimSpace(strings.ToValidUTF8(why[:mostWhy], "")) + "…"
}

// address matches what may be an address in a text.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9A-Fa-f:.]{2,}(%\w+)?`) })

// withoutAddresses replaces the addresses in a text of a machine of this site.
func withoutAddresses(text string) string {
	return address().ReplaceAllStringFunc(text, func(word string) string {
		if _, err := netip.ParseAddr(word); err == nil {
			return "(address)"
		}
		if _, err := netip.ParseAddrPort(word); err == nil {
			return "(address)"
		}
		return word
	})
}
