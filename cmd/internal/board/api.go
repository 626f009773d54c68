package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/text"
)

const (
	apiPath    = "/api/deployments"
	eventsPath = apiPath + "/events"
	// pageSize is how many runs a page of the history has, at most and unless
	// requested fewer.
	pageSize = 100
	// summaryLength is what is left of long texts in lists, in characters.
	summaryLength = 200
)

// Handler serves the page and what it reads. All of it is read-only.
func (b *Board) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(apiPath, b.get(b.getStatus, b.opts.Timeout))
	mux.HandleFunc(apiPath+"/history", b.get(b.getHistory, b.opts.Timeout))
	mux.HandleFunc(apiPath+"/measures", b.get(b.getMeasures, b.opts.Timeout+measureTimeout))
	mux.HandleFunc(apiPath+"/versions", b.get(b.getVersions, b.opts.Timeout+measureTimeout))
	mux.HandleFunc(apiPath+"/{id}", b.get(b.getRun, b.opts.Timeout))
	mux.HandleFunc("GET "+eventsPath, b.events)
	assets(mux)
	return sameSite(mux)
}

// sameSite keeps pages of others from making their visitors' browsers read the
// API. The page itself can be linked to.
func sameSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below := r.URL.Path == apiPath || strings.HasPrefix(r.URL.Path, apiPath+"/")
		if below && foreign(r) {
			httpserver.Problem(w, http.StatusForbidden, "pages of other sites may not read the deployment log")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// foreign reports whether a page of another origin made a browser send the
// request. Programs say nothing about it, and addresses that people follow or
// type are their own doing.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "": // a program, or a browser that does not say
		origin := r.Header.Get("Origin")
		u, err := url.Parse(origin)
		return origin != "" && (err != nil || !strings.EqualFold(u.Host, r.Host))
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// get responds to a request to read with a value or an error, within the time given.
func (b *Board) get(response func(ctx context.Context, r *http.Request, q url.Values) (any, error), limit time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			httpserver.Problem(w, http.StatusMethodNotAllowed, "the board only reads; runs are recorded with `erphub env deploy`")
			return
		}
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			httpserver.Problem(w, http.StatusBadRequest, "the query cannot be read")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		value, err := response(ctx, r, q)
		if err != nil {
			fail(w, b.tooLong(r.Context(), err))
			return
		}
		httpserver.JSON(w, http.StatusOK, value)
	}
}

// notFoundError is that of a run that is not there.
type notFoundError struct{ id string }

func (e *notFoundError) Error() string {
	return "there is no run " + e.id + " that this server may read"
}

// errTooLong is that of a request that an ERP which responds did not answer in
// time.
var errTooLong = errors.New("the ERP responds, but needs too long for this: choose a shorter period, one environment or another search; measures that are requested again go on from where this ended")

// tooLong tells an ERP that needs too long for one request from one that does
// not respond.
func (b *Board) tooLong(ctx context.Context, err error) error {
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, erp.ErrTimeout)
	if late && ctx.Err() == nil && b.probe(ctx) == nil {
		return errTooLong
	}
	return err
}

// fail responds with what viewers may know about an error.
func fail(w http.ResponseWriter, err error) {
	var missing *notFoundError
	switch {
	case errors.As(err, &missing):
		httpserver.Problem(w, http.StatusNotFound, missing.Error())
	case errors.Is(err, deploylog.ErrInvalid):
		httpserver.Problem(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, errTooLong): // trying again would not help
		httpserver.Problem(w, http.StatusGatewayTimeout, err.Error())
	case errors.Is(err, context.Canceled): // nobody listens any more, or the server ends
		httpserver.Problem(w, http.StatusServiceUnavailable, "the request was given up")
	case errors.Is(err, erp.ErrUnauthorized), errors.Is(err, erp.ErrForbidden):
		httpserver.Problem(w, http.StatusBadGateway, explain(err).Problem)
	default:
		w.Header().Set("Retry-After", "5")
		httpserver.Problem(w, http.StatusServiceUnavailable, explain(err).Problem)
	}
}

func invalidf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{deploylog.ErrInvalid}, args...)...)
}

// statusKey is what a status was requested for.
type statusKey struct {
	env    deploylog.Environment
	client erp.ID
}

// tenant is a client whose runs may be there.
type tenant struct {
	ID   erp.ID `json:"id"`
	Name string `json:"name"`
}

// statusResponse is the body of /api/deployments.
type statusResponse struct {
	Now          time.Time           `json:"now"` // the server's time, for clocks that differ
	State        state               `json:"state"`
	Environments []environmentStatus `json:"environments"`
	// All are the environments to choose from.
	All     []deploylog.NamedEnvironment `json:"all"`
	Clients []tenant                     `json:"clients"`
}

func (b *Board) getStatus(ctx context.Context, _ *http.Request, q url.Values) (any, error) {
	var key statusKey
	var err error
	if key.env, err = environment(q); err != nil {
		return nil, err
	}
	if key.client, err = clientID(q); err != nil {
		return nil, err
	}
	status, err := b.status.get(ctx, key, func(ctx context.Context) ([]environmentStatus, error) {
		list, err := b.runs.Status(ctx, deploylog.StatusQuery{Environment: key.env, Client: key.client})
		if err == nil {
			b.readable()
		}
		status := make([]environmentStatus, len(list))
		for i, s := range list {
			status[i].EnvironmentStatus = s
			if s.Current != nil {
				short := summary(*s.Current)
				status[i].Current = &short
			}
		}
		return status, err
	})
	if err != nil {
		return nil, err
	}
	tenants, err := b.tenants.get(ctx, struct{}{}, b.readTenants)
	if err != nil {
		return nil, err
	}
	all, err := b.runs.Environments(ctx)
	if err != nil {
		return nil, err
	}
	return statusResponse{time.Now().UTC(), b.currentState(), status, all, tenants}, nil
}

// readTenants lists the tenants the login may see, for the choice of the page.
func (b *Board) readTenants(ctx context.Context) ([]tenant, error) {
	list := []tenant{}
	page, err := b.client.Query(ctx, "AD_Client", &erp.Query{Select: []string{"Name"}, OrderBy: []string{erp.Asc("Name")}, Top: 100})
	switch {
	case errors.Is(err, erp.ErrForbidden), errors.Is(err, erp.ErrNotFound):
		return list, nil // then there is nothing to choose from
	case err != nil:
		return nil, err
	}
	for _, rec := range page.Records {
		name, _ := rec.Text("Name")
		list = append(list, tenant{rec.ID(), name})
	}
	return list, nil
}

// historyResponse is the body of /api/deployments/history, a
// deploylog.HistoryPage.
type historyResponse struct {
	Runs  []shown `json:"runs"`
	Next  string  `json:"next,omitempty"`
	Total int     `json:"total"`
}

func (b *Board) getHistory(ctx context.Context, _ *http.Request, q url.Values) (any, error) {
	h := deploylog.HistoryQuery{PageSize: pageSize, Search: q.Get("q")}
	var err error
	if h.Environment, err = environment(q); err != nil {
		return nil, err
	}
	if h.Client, err = clientID(q); err != nil {
		return nil, err
	}
	if text := q.Get("status"); text != "" {
		if h.Status, err = deploylog.ParseState(text); err != nil {
			return nil, err
		}
	}
	if h.Since, err = moment(q, "since"); err != nil {
		return nil, err
	}
	if h.Until, err = moment(q, "until"); err != nil {
		return nil, err
	}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > pageSize {
			return nil, invalidf("limit is a number from 1 to %d", pageSize)
		}
		h.PageSize = n
	}
	page, err := b.runs.HistoryPage(ctx, h, q.Get("cursor"))
	if err != nil {
		return nil, err
	}
	a := historyResponse{Runs: make([]shown, len(page.Runs)), Next: page.Next, Total: page.Total}
	for i, run := range page.Runs {
		a.Runs[i] = summary(run)
	}
	return a, nil
}

func (b *Board) getRun(ctx context.Context, r *http.Request, _ url.Values) (any, error) {
	text := r.PathValue("id")
	id, err := erp.ParseID(text)
	if err != nil || utf8.RuneCountInString(text) > 36 {
		return nil, invalidf("a run is named by its number or its UUID")
	}
	run, err := b.runs.Get(ctx, id)
	switch {
	case errors.Is(err, erp.ErrNotFound):
		return nil, &notFoundError{id.String()}
	case errors.Is(err, erp.ErrInvalid):
		return nil, invalidf("a run is named by its number or its UUID")
	}
	return shown{run}, err
}

// shown is a run as the board returns it: with the time of its rollback,
// which its own JSON leaves to CurrentStep.
type shown struct{ deploylog.Run }

// MarshalJSON adds rolledBackAt.
func (s shown) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(s.Run)
	at := s.RolledBackAt()
	if err != nil || at.IsZero() {
		return text, err
	}
	return fmt.Appendf(text[:len(text)-1], `,"rolledBackAt":"%s"}`, at.Format(time.RFC3339)), nil
}

// environmentStatus is the status of an environment as the board returns
// it.
type environmentStatus struct {
	deploylog.EnvironmentStatus
	Current *shown `json:"current"`
}

// summary is a run without its long texts, of which lists show the beginning.
func summary(run deploylog.Run) shown {
	for _, s := range []*string{&run.Changes, &run.Components, &run.ErrorMessage} {
		*s = text.Shorten(*s, summaryLength)
	}
	return shown{run}
}

func environment(q url.Values) (deploylog.Environment, error) {
	if text := q.Get("env"); text != "" {
		return deploylog.ParseEnvironment(text)
	}
	return "", nil
}

func clientID(q url.Values) (erp.ID, error) {
	text := q.Get("client")
	if text == "" {
		return erp.ID{}, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return erp.ID{}, invalidf("client is the number of a tenant")
	}
	return erp.IntID(n), nil
}

// moment is a parameter that is a day in UTC, a time or an age; zero without one.
func moment(q url.Values, name string) (at time.Time, err error) {
	if given := q.Get(name); given != "" {
		if at, err = text.Moment(given, time.Now(), time.UTC); err != nil {
			return at, invalidf("%s: %v", name, err)
		}
	}
	return at, nil
}

func stateJSON(s state) []byte {
	text, err := json.Marshal(s)
	if err != nil { // two plain fields
		panic(err)
	}
	return text
}
