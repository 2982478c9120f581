package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/rocecd/internal/pages"
	"github.com/rocec/rocec/cmd/rocecd/internal/site"
	"github.com/rocec/rocec/targets/deploy/device"
)

// listenPages listens at the address of the pages. The feed follows the hub, and verifies messages by the signers that a worker with the
// options has.
func listenPages(
	ctx context.Context, o pages.Options, options func() (*site.Options, error), log *slog.Logger, connect func() (*broker.Broker, error),
) (*pages.Server, *pages.Feed, error) {
	w, err := options()
	if err != nil {
		return nil, nil, err
	}
	signers := w.Signers
	if signers == nil {
		signers = func() (*sshsig.Signers, error) {
			r, err := session.Rights(w.Session(nil), false)
			if err != nil {
				return nil, err
			}
			of, _, err := r.Signers()
			return of, err
		}
	}
	f := pages.NewFeed(pages.FeedOptions{
		Connect: connect, Signers: signers, Clock: device.Clock{Now: time.Now, Wait: time.After}, Log: log,
	})
	s, err := pages.Listen(ctx, o)
	return s, f, err
}
