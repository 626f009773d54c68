// A client of the ERP's REST API, as somebody writes it who has nothing but
// the description of the API: plain Node.js, no dependencies.
//
//   node client.mjs http://127.0.0.1:8080
//
// It logs in, reads, writes and uploads, and ends with status 1 when anything
// is not as described.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

const base = process.argv[2]
if (!base) {
  console.error('usage: node client.mjs URL')
  process.exit(2)
}

class Session {
  token = null
  refreshToken = null
  clientId = null
  userId = null

  async send (method, path, { query = {}, body, headers = {}, raw = false } = {}) {
    const url = new URL(base + '/api/v1/' + path)
    // Blanks as %20: not every server reads + as a blank.
    url.search = Object.entries(query).map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`).join('&')
    const init = { method, headers: { ...headers } }
    if (this.token) init.headers.Authorization = `Bearer ${this.token}`
    if (body instanceof Uint8Array) {
      init.body = body
      init.headers['Content-Type'] = 'application/octet-stream'
    } else if (body !== undefined) {
      init.body = JSON.stringify(body)
      init.headers['Content-Type'] = 'application/json'
    }
    const response = await fetch(url, init)
    if (raw) return response
    const text = await response.text()
    const json = response.headers.get('Content-Type')?.startsWith('application/json')
    return { status: response.status, headers: response.headers, body: json && text ? JSON.parse(text) : text }
  }

  async ok (method, path, options, status = 200) {
    const response = await this.send(method, path, options)
    assert.equal(response.status, status, `${method} ${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
}

const step = async (name, run) => {
  await run()
  console.log('ok', name)
}

const erp = new Session()
const stamp = randomBytes(4).toString('hex')

await step('log-in in two steps', async () => {
  const refused = await erp.send('POST', 'auth/tokens', { body: { userName: 'GardenAdmin', password: 'wrong' } })
  assert.equal(refused.status, 401)
  assert.equal(refused.body.title, 'Authenticate error')

  const first = await erp.ok('POST', 'auth/tokens', { body: { userName: 'GardenAdmin', password: 'GardenAdmin' } })
  assert.equal(first.refresh_token, undefined, 'the log-in is not complete')
  erp.token = first.token
  erp.clientId = first.clients.find(c => c.name === 'GardenWorld').id
  assert.equal((await erp.send('GET', 'models/C_Order')).status, 401, 'the token of the first step opens nothing')

  const { roles } = await erp.ok('GET', 'auth/roles', { query: { client: erp.clientId } })
  const role = roles.find(r => r.name === 'GardenWorld Admin').id
  const { organizations } = await erp.ok('GET', 'auth/organizations', { query: { client: erp.clientId, role } })
  const organization = organizations.find(o => o.name === 'HQ').id
  const { warehouses } = await erp.ok('GET', 'auth/warehouses', { query: { client: erp.clientId, role, organization } })
  const { AD_Language: language } = await erp.ok('GET', 'auth/language', { query: { client: erp.clientId } })
  const done = await erp.ok('PUT', 'auth/tokens', {
    body: { clientId: erp.clientId, roleId: role, organizationId: organization, warehouseId: warehouses[0].id, language }
  })
  assert.ok(done.token && done.refresh_token && done.menuTreeId)
  erp.token = done.token
  erp.refreshToken = done.refresh_token
  erp.userId = done.userId
  const claims = JSON.parse(Buffer.from(done.token.split('.')[1], 'base64url'))
  assert.equal(claims.AD_Client_ID, erp.clientId)
  assert.equal(claims.AD_User_ID, erp.userId)
})

await step('list page by page', async () => {
  const seen = []
  let rows
  for (let skip = 0; ; skip += 5) {
    const page = await erp.ok('GET', 'models/C_BPartner', { query: { $select: 'Name', $orderby: 'Name', $top: 5, $skip: skip } })
    rows = page['row-count']
    assert.equal(page['array-count'], page.records.length)
    assert.equal(page['records-size'], 5)
    seen.push(...page.records.map(r => r.id))
    if (page.records.length < 5) break
  }
  assert.equal(seen.length, rows)
  assert.equal(new Set(seen).size, rows, 'no record twice')
})

await step('filter and order', async () => {
  const page = await erp.ok('GET', 'models/M_Product', {
    query: { $filter: "(startswith(Name,'Patio') OR Value eq 'Oak') AND IsSold eq true", $select: 'Name,Value', $orderby: 'Name desc' }
  })
  const names = page.records.map(r => r.Name)
  assert.ok(names.includes('Oak Tree') && names.includes('Patio Chair'))
  assert.deepEqual(names, [...names].sort().reverse())
  const wrong = await erp.send('GET', 'models/M_Product', { query: { $filter: 'Name equals 1' } })
  assert.equal(wrong.status, 400)
  assert.equal(wrong.body.status, 400)
  assert.ok('title' in wrong.body && wrong.body.detail)
})

await step('expand masters and children', async () => {
  const order = await erp.ok('GET', 'models/C_Order/100', {
    query: { $select: 'DocumentNo,GrandTotal', $expand: 'C_BPartner_ID($select=Name),C_OrderLine($select=Line,LineNetAmt;$orderby=Line desc;$top=1)' }
  })
  assert.equal(order['model-name'], 'c_order')
  assert.equal(order.C_BPartner_ID['model-name'], 'c_bpartner')
  assert.ok(order.C_BPartner_ID.Name)
  assert.equal(order.C_OrderLine.length, 1)
})

let orderId
await step('create an order with lines', async () => {
  const created = await erp.ok('POST', 'models/C_Order', {
    body: {
      C_BPartner_ID: 118,
      C_DocTypeTarget_ID: { identifier: 'Standard Order' },
      Description: `ordered by JavaScript ${stamp}`,
      C_OrderLine: [
        { M_Product_ID: { lookupColumn: 'Value', lookupValue: 'Oak' }, QtyEntered: 2 },
        { M_Product_ID: 128, QtyEntered: 3 }
      ]
    }
  }, 201)
  orderId = created.id
  assert.equal(created.DocStatus.id, 'DR')
  assert.equal(created.C_OrderLine.length, 2)
  const lines = await erp.ok('GET', 'models/C_OrderLine', { query: { $filter: `C_Order_ID eq ${orderId}`, $orderby: 'Line' } })
  assert.deepEqual(lines.records.map(l => l.QtyEntered), [2, 3])

  const changed = await erp.ok('PUT', `models/C_Order/${orderId}`, { body: { POReference: stamp } })
  assert.equal(changed.POReference, stamp)
  const completed = await erp.ok('PUT', `models/C_Order/${orderId}`, { body: { 'doc-action': 'CO' } })
  assert.equal(completed.DocStatus.id, 'CO')
  assert.ok(completed.GrandTotal > 0)

  const missing = await erp.send('GET', 'models/C_Order/999999999')
  assert.equal(missing.status, 404)
  assert.equal(missing.body.title, 'Record not found')
})

await step('batch', async () => {
  const create = value => ({ method: 'POST', path: 'v1/models/C_BP_Group', body: { Value: value, Name: value } })
  const rolledBack = await erp.send('POST', 'batch', { query: { transaction: true }, body: [create(`a${stamp}`), { method: 'PUT', path: 'v1/models/C_BP_Group/999999999', body: {} }] })
  assert.equal(rolledBack.status, 400)
  assert.deepEqual(rolledBack.body.map(r => r.statusCode), [201, 404])
  const find = async value => (await erp.ok('GET', 'models/C_BP_Group', { query: { $filter: `Value eq '${value}'` } })).records
  assert.equal((await find(`a${stamp}`)).length, 0, 'nothing of a failed transaction stays')

  const mixed = await erp.ok('POST', 'batch', { query: { transaction: false }, body: [create(`b${stamp}`), { method: 'GET', path: 'v1/models/C_BP_Group', body: {} }] })
  assert.deepEqual(mixed.map(r => r.statusCode), [201, 400])
  const [group] = await find(`b${stamp}`)
  await erp.ok('DELETE', `models/C_BP_Group/${group.id}`)
})

await step('attachment', async () => {
  const data = randomBytes(3000)
  const path = `models/C_Order/${orderId}/attachments`
  await erp.ok('POST', path, { body: { name: 'plan.bin', data: data.toString('base64') } }, 201)
  assert.equal((await erp.send('POST', path, { body: { name: 'plan.bin', data: 'AAAA' } })).status, 409, 'not twice')
  const { attachments } = await erp.ok('GET', path)
  assert.deepEqual(attachments.map(a => a.name), ['plan.bin'])
  const response = await erp.send('GET', `${path}/plan.bin`, { raw: true })
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), data)
  await erp.ok('DELETE', `${path}/plan.bin`)
  assert.equal((await erp.send('GET', `${path}/plan.bin`)).status, 204)
})

await step('process with a report', async () => {
  const { parameters } = await erp.ok('GET', 'processes/rv_orderdetail')
  assert.ok(parameters.some(p => p.parameterName === 'DateOrdered'))
  const run = await erp.ok('POST', 'processes/rv_orderdetail', {
    body: { DateOrdered: '2024-01-01', DateOrdered_to: '2024-12-31', 'report-type': 'CSV' }
  })
  assert.equal(run.isError, false, run.summary)
  assert.equal(Buffer.from(run.exportFile, 'base64').length, run.exportFileLength)
})

await step('upload in chunks', async () => {
  const data = randomBytes(250_000)
  const sha256 = b => createHash('sha256').update(b).digest('hex')
  const upload = await erp.ok('POST', 'uploads', {
    body: {
      fileName: 'garden.bin', contentType: 'application/octet-stream', fileSize: data.length, chunkSize: 100_000,
      sha256: sha256(data), uploadLocation: 'ATTACHMENT', expiresInSeconds: 600
    }
  }, 201)
  const path = `uploads/${upload.uploadId}`
  const size = upload.chunkSize
  const total = Math.ceil(data.length / size)
  const part = n => data.subarray((n - 1) * size, n * size)
  const send = (n, checksum) => erp.send('PUT', `${path}/chunks/${n}`, {
    body: part(n), headers: { 'X-Total-Chunks': String(total), 'X-Content-SHA256': checksum }
  })
  assert.equal((await send(1, sha256(Buffer.from('other')))).status, 500, 'a wrong checksum is refused')
  for (let n = total; n >= 1; n--) { // any order is fine
    const response = await send(n, sha256(part(n)))
    assert.equal(response.status, 200, JSON.stringify(response.body))
    assert.equal(response.body.isLastChunk, n === 1)
  }
  const deadline = Date.now() + 10_000
  let status
  do {
    status = (await erp.ok('GET', path)).status
    assert.ok(Date.now() < deadline, status)
  } while (status === 'UPLOADING' || status === 'PROCESSING')
  assert.equal(status, 'COMPLETED')
  const response = await erp.send('GET', `${path}/file`, { raw: true, headers: { Accept: '*/*' } })
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), data)
  const copy = await erp.ok('POST', `${path}/copy`, { body: { copyLocation: 'ATTACHMENT', tableName: 'C_Order', recordId: String(orderId) } })
  assert.equal(copy.recordId, orderId)
  const { attachments } = await erp.ok('GET', `models/C_Order/${orderId}/attachments`)
  assert.deepEqual(attachments.map(a => a.name), ['garden.bin'])
})

await step('refresh', async () => {
  const spent = erp.refreshToken
  const ask = refresh => new Session().send('POST', 'auth/refresh', { body: { refresh_token: refresh, clientId: erp.clientId, userId: erp.userId } })
  const fresh = await ask(spent)
  assert.equal(fresh.status, 200)
  erp.token = fresh.body.token
  erp.refreshToken = fresh.body.refresh_token
  assert.notEqual(erp.refreshToken, spent)
  await erp.ok('GET', `models/C_Order/${orderId}`)
})

await step('log-out', async () => {
  const token = erp.token
  assert.equal((await new Session().send('POST', 'auth/logout', { body: { token } })).status, 200)
  assert.equal((await erp.send('GET', `models/C_Order/${orderId}`)).status, 401)
  const again = await new Session().send('POST', 'auth/refresh', { body: { refresh_token: erp.refreshToken, clientId: erp.clientId, userId: erp.userId } })
  assert.equal(again.status, 401, 'the chain of refresh tokens ends with the log-in')
})
