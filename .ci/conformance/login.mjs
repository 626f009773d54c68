// Prints a token of the sandbox for the user in ERP_USERNAME and ERP_PASSWORD.
const { ERP_URL, ERP_USERNAME, ERP_PASSWORD } = process.env;
const res = await fetch(`${ERP_URL}/api/v1/auth/tokens`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    userName: ERP_USERNAME, password: ERP_PASSWORD, parameters: { clientId: 11, roleId: 102, organizationId: 11 },
  }),
});
if (!res.ok) throw new Error(`the sandbox responded with ${res.status}`);
process.stdout.write((await res.json()).token);
