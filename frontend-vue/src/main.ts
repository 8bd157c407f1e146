import { PiniaColada } from '@pinia/colada'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { reloadOnceForMissingChunk } from './router/missingChunk'
import { createAppRouter } from './router'
import { connectSessionTo } from './router/sessionEnd'
import { useAuth } from './stores/auth'
import { startTelemetry } from './telemetry'
import './styles/main.css'

const app = createApp(App)
app.use(createPinia())
app.use(PiniaColada)

const auth = useAuth()
const router = createAppRouter()

connectSessionTo(auth, router)

reloadOnceForMissingChunk()
startTelemetry()
app.use(router)
app.mount('#app')
